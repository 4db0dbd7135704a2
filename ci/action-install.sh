#!/usr/bin/env bash
# First step of action.yml: puts authcli somewhere and tells where, as the output "program".
# Takes VERSION; the runner gives RUNNER_TEMP and GITHUB_OUTPUT.
set -euo pipefail

fail() {
  echo "::error title=authcli::$1"
  exit 2
}

command -v node >/dev/null || fail 'Node.js is missing; put actions/setup-node before this action.'
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
  fail "authcli needs Node.js 20.19 or later, this is $(node --version); put actions/setup-node before this action."

if [ "$VERSION" = installed ]; then
  program=$PWD/node_modules/.bin/authcli
  [ -x "$program" ] || fail 'There is no node_modules/.bin/authcli in the working directory; run npm ci first.'
else
  [[ $VERSION =~ ^[A-Za-z0-9][A-Za-z0-9.+-]*$ ]] || fail 'The input "version" takes a version, a tag such as "latest", or "installed".'
  npm install --prefix "$RUNNER_TEMP/authcli" --no-save --no-audit --no-fund --ignore-scripts "authcli@$VERSION"
  program=$RUNNER_TEMP/authcli/node_modules/.bin/authcli
fi
"$program" --version
echo "program=$program" >>"$GITHUB_OUTPUT"
