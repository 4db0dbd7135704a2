import { shellWord } from '../text.ts';

/** The functions with which a script sends requests and reads responses. */
export function scriptHead(title: string): readonly string[] {
  return [
    '#!/bin/sh',
    `# ${title}: found by authcli explore, shown here with curl and openssl.`,
    '# Exits with 1 if the fault shows, with 0 if not, with 3 if nothing responded.',
    '# Arguments are passed to curl, such as --cacert FILE.',
    'dir=$(mktemp -d) || exit 4',
    `trap 'rm -rf "$dir"' EXIT`,
    '',
    'need() { # VALUE NAME MEANING',
    '  test -n "$1" || { echo "Set $2 in the environment to $3." >&2; exit 2; }',
    '}',
    'send() {',
    '  number=$1',
    '  shift',
    '  curl -sS -X POST "$@" -o "$dir/$number"',
    '}',
    'need_response() {',
    '  set -- "$dir"/[0-9]*',
    '  test -e "$1" || { echo "Nothing responded. Is the endpoint running?" >&2; exit 3; }',
    '}',
    'field() {',
    String.raw`  sed -n 's/.*"'"$2"'"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p' "$dir/$1" | head -n 1 | sed 's|\\/|/|g'`,
    '}',
    'accepted() { test "$(field "$1" code)" = 0000; }',
    'refused() { test -s "$dir/$1" && ! accepted "$1"; }',
    String.raw`hex() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n'; }`,
    'new_pair() {',
    '  openssl genrsa -out "$dir/$1.pem" "$2" 2> /dev/null',
    '  openssl pkey -in "$dir/$1.pem" -pubout -outform DER | openssl base64 -A',
    '}',
    'open_key() {',
    '  field "$1" enc_partner_key | openssl base64 -d -A |',
    '    openssl pkeyutl -decrypt -inkey "$dir/$2.pem" -pkeyopt rsa_padding_mode:pkcs1',
    '}',
    'seal() { # BITS KEY TEXT [-nopad]',
    '  openssl rand -out "$dir/iv" 16',
    `  iv=$(od -An -v -tx1 < "$dir/iv" | tr -d ' \\n')`,
    '  key=$(hex "$2" | cut -c "1-$(($1 / 4))")',
    '  { cat "$dir/iv"; printf %s "$3" | openssl enc "-aes-$1-cbc" -K "$key" -iv "$iv" $4; } | openssl base64 -A',
    '}',
    'seal_badly() { seal "$1" "$2" 00000000000000000000000000000000 -nopad; }',
    '',
  ];
}

/** What the two operations of a service need beside: the secret key, and a `ptn_token` for each sign-in. */
export function serviceHead({
  clientId,
  ptnTokenCommand,
  bits,
}: {
  readonly clientId: string;
  readonly ptnTokenCommand?: string | undefined;
  readonly bits: number;
}): readonly string[] {
  return [
    'need "$AUTHCLI_SECRET_KEY" AUTHCLI_SECRET_KEY "the secret_key"',
    'secret=$AUTHCLI_SECRET_KEY',
    'passcode() { # of response NUMBER with KEY',
    `  key=$(hex "$2" | cut -c "1-${bits / 4}")`,
    '  field "$1" ptn_sp | openssl base64 -d -A > "$dir/ptn_sp"',
    `  iv=$(head -c 16 "$dir/ptn_sp" | od -An -v -tx1 | tr -d ' \\n')`,
    `  tail -c +17 "$dir/ptn_sp" | openssl enc -d -aes-${bits}-cbc -K "$key" -iv "$iv"`,
    '}',
    ...(ptnTokenCommand === undefined ? emulatedTokens(clientId) : printedTokens(ptnTokenCommand)),
  ];
}

function printedTokens(command: string): readonly string[] {
  const line = command.split('{ptn_cd}').join('"$1"');
  return [`new_ptn_token() { ${line}; }`];
}

/** As the emulated service takes them; see `authcli issue-ptn-token`. */
function emulatedTokens(clientId: string): readonly string[] {
  return [
    `b64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }`,
    'new_ptn_token() {',
    `  claims=$(printf '[%s,"%s",%s000,"%s"]' ${shellWord(JSON.stringify(clientId))} "$1" "$(date +%s)" "$(openssl rand -hex 8)" | b64url)`,
    '  mac_key=$(openssl kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt "key:$secret" -kdfopt info:authcli-ptn-1 HKDF | tr -d ":\\n")',
    '  mac=$(printf %s "authcli-ptn-1.$claims" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$mac_key" -binary | b64url)',
    '  printf %s "authcli-ptn-1.$claims.$mac"',
    '}',
  ];
}

/** The requests of a round, each with its words for curl; several are sent at the same time, by one curl. */
export function roundLines(requests: readonly (readonly [number, string])[]): readonly string[] {
  const [first, ...others] = requests;
  if (first === undefined) return [];
  const parts = requests.map(([number, words]) => `-o "$dir/${number}" -sS -X POST ${words} "$@"`);
  return others.length === 0
    ? [`send ${first.join(' ')} "$@"`]
    : [`curl --no-progress-meter --parallel --parallel-immediate ${parts.join(' \\\n  --next ')}`];
}

export const scriptVerdict: readonly string[] = ['  echo "The fault shows."', '  exit 1', 'fi'];

export const scriptEnd: readonly string[] = [
  'echo "The fault does not show."',
  'for response in "$dir"/[0-9]*; do',
  '  printf "%s: " "$(basename "$response")"',
  '  head -c 300 "$response"',
  '  echo',
  'done',
  '',
];
