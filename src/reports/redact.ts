import { Secret } from '../crypto/secret.ts';
import { carriesCredentials, isSecretName, secretValuesIn } from '../protocol/secret-fields.ts';
import { type KnownUser, userInformationTexts } from '../protocol/user.ts';

export const redacted = '[redacted]';

/** A value that the command exists to print: the redactor leaves it as it is. */
export class Revealed {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }

  toJSON(): string {
    return this.value;
  }
}

/** Marks `value` as what the command is for (`key generate`, `decrypt`, …): it is shown where it is put, and only there. */
export function reveal(value: string): Revealed {
  return new Revealed(value);
}

/** The JSON value with every text in it revealed. */
export function revealAll(value: unknown): unknown {
  return mapped(value, (item) => (typeof item === 'string' ? reveal(item) : item));
}

/** The JSON value with `of` of each text, number and other value in it that is no list or object, and of names. */
export function mapped(
  value: unknown,
  of: (item: unknown) => unknown,
  ofName = (name: string) => name,
): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, of, ofName));
  if (value === null || typeof value !== 'object') return of(value);
  const all = Object.entries(value).map(([name, item]) => [ofName(name), mapped(item, of, ofName)]);
  return Object.fromEntries(all);
}

/** A peer's property names of authcli's vocabulary are hidden only for secrets as long as this: "name" is a field. */
const propertyNamesFrom = 8;

/** How many secrets of peers are remembered, and characters of them, twice: an emulator may run for days. */
const peerSecrets = 20_000;
const peerUnits = 4_194_304;

/**
 * The secrets known in a run, and the one place that decides what of an output may be shown. A secret is found
 * however it is encoded (docs/security.md), before the text is escaped, cut or wrapped.
 */
export class Redactor {
  #own = new SecretIndex();
  /** Of peers: the latest, and those before them. */
  #recent = new SecretIndex();
  #older = new SecretIndex();
  readonly #userInfo = new Set<string>();
  readonly #shown = new Set<string>();
  readonly #variables = new Map<string, string>();

  /** A redactor that knows the same, and forgets with its run what it learns. */
  copy(): Redactor {
    const copy = new Redactor();
    for (const secret of this.#own.secrets) copy.#own.add(secret);
    for (const index of [this.#older, this.#recent]) {
      for (const secret of index.secrets) copy.#recent.add(secret);
    }
    for (const text of this.#userInfo) copy.#userInfo.add(text);
    for (const text of this.#shown) copy.#shown.add(text);
    for (const [text, name] of this.#variables) copy.#variables.set(text, name);
    return copy;
  }

  /** Hides what the user gave as a secret, or what was made here, from now on; empty text is not a secret. */
  add(value: string | Secret | undefined): void {
    const text = Secret.textOf(value);
    if (text) this.#own.add(text);
  }

  /** Hides all that is secret of a user, and shows the code that the user is named by. */
  addUser(user: Partial<KnownUser> | undefined): void {
    this.show(user?.ptnCd);
    for (const secret of [user?.key, user?.superPasscode, user?.deliveredPasscode])
      this.add(secret);
    this.addUserInfo(...userInformationTexts(user?.userInfo));
  }

  /** The same for texts of user information, unless one is the code by which the user is named in the output. */
  addUserInfo(...texts: readonly string[]): void {
    for (const text of texts) {
      if (!text || this.#own.secrets.has(text)) continue;
      this.#userInfo.add(text);
      if (!this.#shown.has(text)) this.#own.add(text);
    }
  }

  /**
   * The same for a value that a peer chose: one that consists of words of authcli's own output isn't hidden in
   * texts, only in its field. The oldest are forgotten when there are very many.
   */
  addFromPeer(value: string | Secret | undefined): void {
    const text = Secret.textOf(value);
    const isKnown = [this.#own, this.#recent].some(({ secrets }) => secrets.has(text ?? ''));
    if (!text || isKnown || isVocabulary(text)) return;
    if (this.#recent.secrets.size >= peerSecrets || this.#recent.units >= peerUnits) {
      this.#older = this.#recent;
      this.#recent = new SecretIndex();
    }
    this.#recent.add(text);
  }

  /** Says which environment variable contains a secret, for lines that are pasted into a shell. */
  nameVariable(value: string | Secret, variable: string): void {
    const text = Secret.textOf(value);
    if (text !== undefined && text !== '') this.#variables.set(text, variable);
  }

  /** The secrets that a shell variable contains. */
  get references(): readonly { readonly text: string; readonly name: string }[] {
    return [...this.#variables].map(([text, name]) => ({ text, name }));
  }

  /** Shows the user code that the user chose, even if it is also the user's email address, name or phone number. */
  show(userCode: string | undefined): void {
    if (userCode === undefined || this.#shown.has(userCode)) return;
    this.#shown.add(userCode);
    if (!this.#userInfo.has(userCode)) return;
    const { secrets } = this.#own;
    this.#own = new SecretIndex();
    for (const secret of secrets) if (secret !== userCode) this.#own.add(secret);
  }

  /** `text` with every known secret replaced by `[redacted]`. */
  text(text: string): string {
    return this.#hidden(text, text.length, this.#all, 'own');
  }

  /** The same for what the user typed: a peer can't hide a part of it by sending that as a token. */
  typed(text: string): string {
    return this.#hidden(text, text.length, [this.#own], 'own');
  }

  /** The first `maxUnits` of what a peer wrote, redacted before it is cut: also what follows a secret name in any notation. */
  head(text: string, maxUnits = text.length): string {
    return this.#hidden(text, maxUnits, this.#all, 'peer');
  }

  get #all(): readonly SecretIndex[] {
    return [this.#own, this.#recent, this.#older];
  }

  #hidden(text: string, maxUnits: number, indexes: readonly SecretIndex[], writer: Writer): string {
    const searched = text.slice(0, maxUnits + overlapUnits);
    let shown = '';
    let copied = 0;
    const found = findSecrets(searched, indexes, writer);
    const names = found.length === 0 ? [] : ownNames(searched);
    let next = 0;
    for (const [start, end] of found) {
      if (start >= maxUnits) break;
      while (end > (names[next]?.[1] ?? Infinity)) next += 1;
      if (start >= (names[next]?.[0] ?? Infinity)) continue;
      shown += text.slice(copied, start) + redacted;
      copied = end;
    }
    return copied === 0 ? text.slice(0, maxUnits) : shown + text.slice(copied, maxUnits);
  }

  /**
   * A JSON-like value with every string redacted, property names of peers included, and {@link Revealed} values
   * unwrapped. Fields and words of authcli's own stay. `isSecret` says what is secret by its name, in what a peer sent.
   */
  json(value: unknown, isSecret?: SecretName): unknown {
    if (typeof value === 'string') return isSecret ? this.head(value) : this.text(value);
    // A peer may send a phone number as a number.
    if (typeof value === 'number')
      return isSecret && this.text(String(value)).includes(redacted) ? redacted : value;
    if (value instanceof Revealed) return value.value;
    if (Array.isArray(value)) {
      const [name, ...items] = value;
      const isPair = typeof name === 'string' && items.length === 1 && isSecret?.(name);
      if (isPair) return [this.#name(name, isSecret), ...items.map(withoutTexts)];
      return value.map((item) => this.json(item, isSecret));
    }
    if (value === null || typeof value !== 'object') return value;
    if ('toJSON' in value && typeof value.toJSON === 'function')
      return this.json(value.toJSON(), isSecret);
    const isPair = 'name' in value && typeof value.name === 'string' && isSecret?.(value.name);
    const properties = Object.entries(value).map(([name, item]) => [
      this.#name(name, isSecret),
      isPair && name === 'value' ? withoutTexts(item) : this.#property(name, item, isSecret),
    ]);
    return Object.fromEntries(properties);
  }

  #name(name: string, isSecret?: SecretName): string {
    const mayBeSecret = isSecret && name.length >= propertyNamesFrom;
    return isVocabulary(name) && !mayBeSecret ? name : this.text(name);
  }

  #property(name: string, value: unknown, isSecret?: SecretName): unknown {
    if (isSecret?.(name)) return withoutTexts(value);
    if (typeof value !== 'string') return this.json(value, peerFields.get(name) ?? isSecret);
    if (isSecretName(name) && value !== '') return redacted;
    if (isSecret || peerTexts.has(name)) return this.head(value);
    const isTime = /_at$|DateTime$|^version$/.test(name) && ownNumbers.test(value);
    const isOwn = isTime || (ownValueFields.has(name) && isVocabulary(value));
    return isOwn ? value : this.text(value);
  }
}

/** The shape of what a peer sent as a secret: each text and number in it is hidden. */
function withoutTexts(value: unknown): unknown {
  const isHidden = (item: unknown) =>
    typeof item === 'number' || (typeof item === 'string' && item !== '');
  return mapped(value, (item) => (isHidden(item) ? redacted : item));
}

/**
 * Where a text names a check or a flag. A secret that is one of the words, as "signin" is, stays there: what
 * is missing in `[redacted]/content-type` is not a secret, and `--[redacted]` can't be pasted.
 */
function ownNames(text: string): readonly Range[] {
  const names = text.matchAll(/(?<![\w./:-])(?:--)?([a-z][a-z-]*(?:\/[a-z0-9-]+)?)(?![\w/:-])/g);
  return [...names]
    .filter(([whole, name = '']) => /^--|\//.test(whole) && isVocabulary(name))
    .map(({ 0: { length }, index }) => [index, index + length]);
}

/**
 * Whether a text contains a secret in any form in which it would be redacted. What is redacted for
 * its name alone, as in `ptn_token=ptn_token` of a stack trace, is searched without that name.
 */
export function containsSecret(text: string, secret: Secret): boolean {
  const index = new SecretIndex();
  index.add(secret.reveal());
  const byName = findSecrets(text, []);
  const isNamed = ([start, end]: Range) => byName.some(([a, b]) => a === start && b === end);
  return (
    !findSecrets(text, [index]).every(isNamed) ||
    byName.some(([start, end]) => findSecrets(text.slice(start, end), [index]).length > 0)
  );
}

/** Secrets, ready to be found. */
export class SecretIndex {
  readonly secrets = new Set<string>();
  readonly anywhere = new Trie();
  /** Secrets of fewer than 6 characters count only as a whole word: "1234" is not a part of port 12345. */
  readonly alone = new Trie();
  units = 0;

  add(secret: string): void {
    if (this.secrets.has(secret)) return;
    this.secrets.add(secret);
    this.units += secret.length;
    const isShort = secret.length < 12 && [...secret].length < 6;
    for (const form of formsOf(secret)) (isShort ? this.alone : this.anywhere).add(form);
    // A run of Base64 is decoded from 8 digits on.
    if (isShort) this.alone.add(Buffer.from(secret).toString('base64url'));
  }
}

/** How a secret reads in a decoded text: as it is, in a form, as UTF-8 in Latin-1, in a word; and what is within a PEM. */
function formsOf(secret: string): readonly string[] {
  const [, body = ''] = /-----BEGIN [^-]+-----([A-Za-z0-9+/=\s]+)-----END/.exec(secret) ?? [];
  const forms = [
    secret,
    secret.replaceAll(' ', '+'),
    Buffer.from(secret).toString('latin1'),
    secret.replace(/\s+/g, ''),
    body.replace(/\s+/g, ''),
    Buffer.from(body, 'base64').toString('latin1'),
  ];
  // Without its white space, a secret may be too short to be found anywhere.
  return [...new Set(forms)].filter((form) => form.length >= Math.min(secret.length, 6));
}

interface Node {
  /** What leads to it from the node above it. */
  edge: string;
  ends: boolean;
  next: Map<number, Node>;
}

/** A text that agrees with secrets for more than this at nearly every place was made for that, and is hidden as a whole. */
const mostAgreement = 16;

/** Patterns that are found in one pass over a text, however many they are. */
class Trie {
  readonly #root: Node = { edge: '', ends: false, next: new Map() };

  add(pattern: string): void {
    let node = this.#root;
    for (let at = 0; at < pattern.length; ) {
      const child = node.next.get(pattern.charCodeAt(at));
      if (child === undefined) {
        const edge = pattern.slice(at);
        node.next.set(edge.charCodeAt(0), { edge, ends: true, next: new Map() });
        return;
      }
      const length = commonLength(child.edge, pattern, at);
      if (length < child.edge.length) split(child, length);
      node = child;
      at += length;
    }
    node.ends = true;
  }

  /** Where patterns begin: the end of the longest (-1 if none is there as a whole), and how far the text agrees with any. */
  *matches(text: string): Generator<readonly [start: number, end: number, reached: number]> {
    let left = mostAgreement * (text.length + 64);
    for (let start = 0; start < text.length && left > 0; start += 1) {
      let [end, reached] = [-1, start];
      let node = this.#root.next.get(text.charCodeAt(start));
      while (node !== undefined) {
        const { edge, ends, next } = node;
        const length = commonLength(edge, text, reached);
        reached += length;
        const isWhole = length === edge.length;
        if (isWhole && ends) end = reached;
        node = isWhole ? next.get(text.charCodeAt(reached)) : undefined;
      }
      if (reached > start) yield [start, end, reached];
      left -= reached - start;
    }
    if (left <= 0) yield [0, text.length, text.length];
  }
}

/** Makes patterns branch off within what leads to a node. */
function split(node: Node, at: number): void {
  const { edge } = node;
  const below = { ...node, edge: edge.slice(at) };
  node.edge = edge.slice(0, at);
  node.ends = false;
  node.next = new Map([[edge.charCodeAt(at), below]]);
}

function commonLength(edge: string, text: string, from: number): number {
  let length = 0;
  while (length < edge.length && text.charCodeAt(from + length) === edge.charCodeAt(length))
    length += 1;
  return length;
}

type SecretName = (name: string) => boolean;

/** Who wrote a text decides what of it is hidden for its name alone. */
type Writer = 'peer' | 'own';

/** From and to, in the text that is redacted. */
type Range = readonly [start: number, end: number];

/** A text as it reads after decoding. */
interface View {
  readonly text: string;
  /** Where a part of it is in the text that is redacted. */
  readonly range: (start: number, end: number) => Range;
  /** Whether `…` follows it: the beginning of a secret at its end counts. */
  readonly isCut: boolean;
}

/** A body of JSON that quotes JSON, in an archive, takes four. */
const maxLevels = 6;

/** This many characters of a secret that was cut off are too many. */
const cutFrom = 4;

/** Of decoded bytes, which are garbage if the decoding began at a wrong offset: 4 bytes agree by chance once in 2^32. */
const certainFrom = 4;

/** A long text is searched in parts, so that its views take little memory; they overlap by more than a secret takes. */
const windowUnits = 262_144;
const overlapUnits = 8192;

/** Where secrets are in `text`, in order and without overlaps. */
export function findSecrets(text: string, indexes: readonly SecretIndex[], writer: Writer = 'own') {
  const known = indexes.filter(({ secrets }) => secrets.size > 0);
  // Without parts: a value may be as long as the text.
  const found: Range[] = [...secretValuesIn(text, writer)];
  const add = (ranges: Iterable<Range>) => {
    for (const range of ranges) found.push(range);
  };
  for (let from = 0; from === 0 || from < text.length; from += windowUnits) {
    const part = text.slice(from, from + windowUnits + overlapUnits);
    const range = (start: number, end: number): Range => [from + start, from + end];
    for (const view of decodedViews({ text: part, range, isCut: false })) {
      if (view.text !== part)
        for (const value of secretValuesIn(view.text, writer)) found.push(view.range(...value));
      add(secretsIn(view, known, 1));
      if (/[\r\n]/.test(view.text)) add(wrappedIn(view, known, text));
      if (known.length === 0) continue;
      for (const bytes of bytesIn(view))
        for (const inner of decodedViews(bytes)) add(secretsIn(inner, known, certainFrom));
    }
  }
  return merged(found);
}

function* secretsIn(view: View, indexes: readonly SecretIndex[], from: number): Generator<Range> {
  const { text, range, isCut } = view;
  const isCutAt = (at: number) => (at === text.length ? isCut : text.charAt(at) === '…');
  for (const { anywhere, alone } of indexes) {
    for (const trie of [anywhere, alone]) {
      let covered = 0;
      for (const [start, end, reached] of trie.matches(text)) {
        const isCutOff = end === -1 && reached - start >= cutFrom && isCutAt(reached);
        const to = isCutOff ? reached : end;
        if (to <= covered) continue;
        if (trie === alone && !(to - start >= from && isWord(text, start, to))) continue;
        covered = to;
        yield range(start, to);
      }
    }
  }
}

/** Secrets that are broken into lines, in what the view is without white space. */
function wrappedIn(view: View, indexes: readonly SecretIndex[], text: string): readonly Range[] {
  const joined = replacedIn(view, /\s+/g, () => '') ?? view;
  // With a line break in it or behind it, as it is or escaped.
  return [...secretsIn(joined, indexes, Infinity)].filter(([start, end]) =>
    /[\r\n\\%&]/.test(text.slice(start, end + 1)),
  );
}

function isWord(text: string, start: number, end: number): boolean {
  return (
    !/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, start - 2), start)) &&
    !/^[\p{L}\p{N}]/u.test(text.slice(end, end + 2))
  );
}

/** The view, what it decodes to, what that decodes to, and so on. */
function* decodedViews(first: View): Generator<View> {
  let view: View | undefined = first;
  for (let level = 0; level < maxLevels && view !== undefined; level += 1) {
    yield view;
    view = replacedIn(view, escapes, decodedEscape);
  }
}

/** The view with each match of `pattern` replaced; undefined if there is none. */
function replacedIn(
  { text, range, isCut }: View,
  pattern: RegExp,
  replacement: (match: RegExpExecArray) => string,
): View | undefined {
  if (!pattern.test(text)) return undefined;
  // What is decoded is never longer than what it was.
  const [starts, ends] = [new Int32Array(text.length), new Int32Array(text.length)];
  let [replaced, copied, length] = ['', 0, 0];
  const copyUpTo = (end: number) => {
    for (let at = copied; at < end; at += 1, length += 1)
      [starts[length], ends[length]] = [at, at + 1];
    replaced += text.slice(copied, end);
  };
  pattern.lastIndex = 0;
  for (const match of text.matchAll(pattern)) {
    copyUpTo(match.index);
    copied = match.index + match[0].length;
    const units = replacement(match);
    for (let unit = 0; unit < units.length; unit += 1, length += 1)
      [starts[length], ends[length]] = [match.index, copied];
    replaced += units;
  }
  copyUpTo(text.length);
  return {
    text: replaced,
    range: (start, end) => range(starts[start] ?? 0, ends[end - 1] ?? 0),
    isCut,
  };
}

const byte = String.raw`(?:%|\\x)`;
const following = `${byte}[89ab][0-9a-f]`;

const rest = String.raw`(?:\\(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|%[0-9a-f]?|&#?[a-z0-9]{0,7})`;

/** Escapes of JSON and most languages, of URLs (one character of UTF-8), HTML and a POSIX shell, and of each what was cut off. */
const escapes = new RegExp(
  [
    `(?<cut>(?:${byte}[c-f][0-9a-f](?:${following}){0,2}(?:${rest})?|${rest})(?=…))`,
    String.raw`\\u[0-9a-f]{4}|&#x[0-9a-f]{1,6};|&#\d{1,7};|&(?:amp|lt|gt|quot|apos);`,
    `${byte}[cd][0-9a-f]${following}|${byte}e[0-9a-f](?:${following}){2}`,
    `${byte}f[0-7](?:${following}){3}|${byte}[0-9a-f]{2}`,
    String.raw`'\\''|\\[^\r\n]`,
  ].join('|'),
  'gi',
);

const escaped: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  "'\\''": "'",
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '\\b': '\b',
  '\\f': '\f',
};

function decodedEscape({ 0: text, groups }: RegExpExecArray): string {
  if (groups?.cut !== undefined) return '';
  const [, unit, hex = unit, decimal] =
    /^\\u([0-9a-f]{4})$|^&#x([0-9a-f]+);$|^&#(\d+);$/i.exec(text) ?? [];
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  if (code <= 0x10ffff) return String.fromCodePoint(code);
  const bytes = Buffer.from(text.replace(/%|\\x/gi, ''), 'hex');
  if (bytes.length > 0) return bytes.toString(bytes.length === 1 ? 'latin1' : 'utf8');
  const isWhole = /^\\[^ux]$/i.test(text);
  return escaped[text] ?? (isWhole ? text.slice(1) : '');
}

const base64Run = /[\w+/-](?:(?:\r?\n[ \t]*)?[\w+/-]){7,}/g;
const hexRun = /[0-9a-f](?:(?:[ :-]|\r?\n[ \t]*)?[0-9a-f]){7,}/gi;

/** What each run of Base64 and of hexadecimal digits decodes to, as Latin-1, wherever in it the encoding begins. */
function* bytesIn({ text, range }: View): Generator<View> {
  for (const { encoding, bits, runs, gap } of [
    { encoding: 'base64', bits: 6, runs: base64Run, gap: /\s/g },
    { encoding: 'hex', bits: 4, runs: hexRun, gap: /[\s:-]/g },
  ] as const) {
    for (const { 0: found, index } of text.matchAll(runs)) {
      const end = index + found.length;
      const isCut = /^[\s:=\\-]{0,4}…/.test(text.slice(end, end + 5));
      const run: View = {
        text: found,
        range: (from, to) => range(index + from, index + to),
        isCut,
      };
      const digits = replacedIn(run, gap, () => '') ?? run;
      for (let offset = 0; offset < (encoding === 'hex' ? 2 : 4); offset += 1) {
        const at = (bit: number) => offset + Math.floor(bit / bits);
        yield {
          text: Buffer.from(digits.text.slice(offset), encoding).toString('latin1'),
          range: (from, to) => digits.range(at(8 * from), at(8 * to - 1) + 1),
          isCut,
        };
      }
    }
  }
}

function merged(ranges: readonly Range[]): readonly Range[] {
  const result: [number, number][] = [];
  for (const [start, end] of [...ranges].sort(([left], [right]) => left - right)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

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
function isVocabulary(text: string): boolean {
  if (ownForms.test(text) || /^\d$/.test(text)) return true;
  if (text.length > 60 || !/^[a-z][A-Za-z0-9]*(?:[-_./: ][a-z0-9]+)*$/.test(text)) return false;
  known ??= new Set(words.trim().split(/\s+/));
  const parts = text.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(/[-_./: ]/);
  return parts.every((part) => known?.has(part));
}

/** Properties of authcli's documents whose values it chooses itself, out of a list. */
const ownValueFields: ReadonlySet<string> = new Set([
  ...['command', 'confidence', 'event', 'id', 'kind', 'level', 'operation', 'passcode', 'schema'],
  ...['side', 'status', 'code', 'method', 'httpVersion', 'version', 'pageref'],
]);

/** Properties that contain what a peer sent, with the peer's own names; among headers, more of them are secret. */
const peerFields: ReadonlyMap<string, SecretName> = new Map([
  ...(['json', 'queryString'] as const).map((name) => [name, isSecretName] as const),
  ['headers', carriesCredentials],
]);

/** Properties whose text is what a peer wrote. */
const peerTexts: ReadonlySet<string> = new Set(['body', 'evidence', 'text']);

/** What HTTP, the emulators and this program write themselves: methods, versions, codes; and times. */
const ownForms = /^(?:HTTP\/\d(?:\.\d)?|E\d{3}|0000|GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|TRACE)$/;
const ownNumbers = /^(?:\d+(?:\.\d+)+(?:-[\w.]+)?|\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)$/;
