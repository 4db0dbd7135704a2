/** The words of which the names of fields, codes, checks, commands, flags and statuses of authcli are made. */
const words = `
  a about absent accepted accepts acs aes after afterwards allow alphabet and answer answers app application
  applications arguments as at attempted auth authcli authenticate bad bail base64 base64url baseline before
  binary bits blocked body boolean both breaks broken busy by byte bytes ca cache call callback calls catalogue
  cbc cd cert certain certificate check checked checks choices chosen cipher client code codes color command
  commands comment compares complete completion concurrency concurrent config connect constant content controls
  cookies count counter cpu create creator csharp curl data date decoded decrypt decrypts default delivered
  demo diagnoses diagnosis diff distribution dns doctor double dry dt duration each earlier email empty emulate
  enc encoding encrypt ended engine english entries entropy entry environment error errors escaped event evidence
  exact exactly examined example examples exchange exchanges exclusive exit expect expected expire expired expires
  expiry explain export facts failed failure failures fault faults field fields file filter findings fingerprint
  first fitting fix for force foreign form format found fresh from further generate get go good group har header
  headers help hex hidden hint host hostname html http id identify ignores import in incomplete index info init
  input insecure inspect instead internal interrupted is issue issues it item iv java json kept key keys kind
  known kotlin large last latency latest leaked length lenient likely limit line list listening load log loose low
  malformed mangled mark masked match max mb mean meaning memory message method milliseconds mime min mismatch
  misplaced missed missing ms name names never new newline no node not note notes npm oaep observed of off ok old
  once only open operation options or order origin other out outcome pace padding page pageref pages pair pairs
  params partner passcode passcodes passed path payload peak per permissions phone php pkcs pkcs1 plain plaintext
  plus port possible post predictable private probe profile progress protocol proxy ptn public published purpose
  python query quiet quoted ramp random rate raw read reads ready reason receive received recognised record
  recorded redact redirect references refused registration rejects remark remarks remove repeat repeatable
  repeated report reports request requests required reset resolve response responses result retry returns reversed
  right rotated rows ruby run save scenario schema second seconds secret secrets section seed send sent seq
  service set setting sha sha1 sha256 shape shared shell should show shown side sign signed signin signup signups
  simulate size sizes skip skipped socket sources sp space spki ssl stack stacks stage stale start started state
  status step steps stop stopped storm strict string style succeeded success summary super survives tag takes
  target terminated test text that the them threshold thresholds time timeline timeout times timings title tls to
  token tokens too trace trailing truncated try ttl type types ui undecryptable unfinished unicode unique unix
  unknown unreachable unset untrusted unwrap up update updated url usage use used user users uses utf utf16 utf8
  value verbatim verbose verify version wait wanted warm warning way weak what wire with without word workers
  works wrap wrapped wraps wrong yes zone
`;

let known: ReadonlySet<string> | undefined;

/** Whether a text consists of words of authcli's output: `http_status`, `key-exchange/tls`, `passcode mismatch`. */
export function isVocabulary(text: string): boolean {
  if (text.length > 60 || !/^[a-z][A-Za-z0-9]*(?:[-_./: ][a-z0-9]+)*$/.test(text)) return false;
  known ??= new Set(words.trim().split(/\s+/));
  const parts = text.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(/[-_./: ]/);
  return parts.every((part) => known?.has(part));
}

/** Properties of authcli's documents whose values it chooses itself, out of a list. */
export const ownValueFields: ReadonlySet<string> = new Set([
  'command',
  'confidence',
  'event',
  'id',
  'kind',
  'level',
  'operation',
  'passcode',
  'schema',
  'side',
  'status',
]);

/** Properties that contain what a peer sent, with the peer's own property names. */
export const peerFields: ReadonlySet<string> = new Set(['json', 'headers']);
