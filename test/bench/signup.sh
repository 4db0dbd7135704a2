#!/usr/bin/env bash
# The sign-up that `authcli simulate-signup` makes, by curl, openssl and jq: the key exchange, opening
# the key, and the registration encrypted with it. Arguments: URL, private key (PEM), public_key text.
set -euo pipefail
url=$1 private_key=$2 public_key=$3

post() { curl -sS -H 'Content-type: application/json;charset=utf-8' --data-binary @- "$url"; }

ptn_cd=script-$(openssl rand -hex 6)
passcode=$(openssl rand -base64 18)
response=$(jq -n --arg ptn_cd "$ptn_cd" --rawfile public_key "$public_key" \
  '{client_id: "authcli-client", used_type: "1", ptn_cd: $ptn_cd, public_key: ($public_key | rtrimstr("\n"))}' | post)
[ "$(jq -r .code <<<"$response")" = 0000 ]
key=$(jq -r .result.enc_partner_key <<<"$response" | base64 -d |
  openssl pkeyutl -decrypt -inkey "$private_key" -pkeyopt rsa_padding_mode:pkcs1)
[ ${#key} -eq 32 ]

hex_key=$(printf %s "$key" | od -An -v -tx1 | tr -d ' \n')
encrypt() {
  local iv
  iv=$(openssl rand -hex 16)
  { printf %b "$(sed 's/../\\x&/g' <<<"$iv")" && openssl enc -aes-256-cbc -K "$hex_key" -iv "$iv"; } | base64 | tr -d "\n"
}
info=$(jq -nc --arg email "$ptn_cd@example.com" '{email: $email, name: "Test User", phone: "+1-555-0100"}')
response=$(jq -n --arg ptn_cd "$ptn_cd" --arg partner_sp "$(printf %s "$passcode" | encrypt)" \
  --arg ubifill "$(printf %s "$info" | encrypt)" \
  '{client_id: "authcli-client", used_type: "2", ptn_cd: $ptn_cd, partner_sp: $partner_sp, ubifill: $ubifill}' | post)
[ "$(jq -r .code <<<"$response")" = 0000 ]
