#!/usr/bin/env bash
# Fills ROOT with everything that is in the container image: the executable from ARCHIVE, which `npm run release` made,
# and what it needs of this Debian, with the licences. Takes ARCHIVE and ROOT.
set -euo pipefail
archive=$1 root=$2

mkdir -p "$root"/{etc,opt/authcli,tmp,usr/local/bin,work}
chmod 1777 "$root/tmp"
tar -xzf "$archive" -C "$root/opt/authcli" --strip-components=1 --no-same-owner
ln -s /opt/authcli/bin/authcli "$root/usr/local/bin/authcli"

# ldd also names the loader.
for library in $(ldd "$root/opt/authcli/bin/authcli" | grep -o '/[^ ]*'); do
  mkdir -p "$root${library%/*}"
  cp --dereference "$library" "$root$library"
  # Debian's /lib is a link to /usr/lib; dpkg lists a file under one of them.
  package=$(dpkg -S "$library" 2>/dev/null || dpkg -S "/usr$library")
  copyright=/usr/share/doc/${package%%:*}/copyright
  mkdir -p "$root${copyright%/*}"
  cp --dereference "$copyright" "$root$copyright"
done

echo 'authcli:x:65532:65532::/tmp:/' >"$root/etc/passwd"
echo 'authcli:x:65532:' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
