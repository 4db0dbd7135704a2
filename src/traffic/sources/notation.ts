import { type JsonObject, objectIn } from '../../protocol/json.ts';

/** A value as it was written, by its offsets in the passage; of a quoted one without the quotation marks. */
interface Span {
  readonly from: number;
  to: number;
  readonly isQuoted: boolean;
}

/** A pair or an element, while it is read and afterwards. */
interface Entry {
  key?: Span | undefined;
  value?: Span | Written | undefined;
  /** Where the last word of a value without quotation marks begins, and the one before it ends. */
  lastWord: number;
  beforeLast: number;
  /** Where the value may begin. */
  readonly afterSign: number;
  /** A quoted value goes on in the next line, as Node writes it: `'a\\n' +`. */
  isJoined?: boolean;
  /** What follows a quoted value without a comma, such as `... 12 more characters`. */
  rest?: Span;
}

/** An object, a list, or what is in a line outside of any. */
export interface Written {
  readonly from: number;
  /** -1 if its end is missing. */
  to: number;
  /** Empty for a line. */
  readonly closer: string;
  /** The name of a class is in front of it: of the types of its fields nothing is known. */
  readonly isNamed: boolean;
  readonly entries: Entry[];
  entry: Entry | undefined;
  separator: string;
  isKeyed: boolean;
  isForm: boolean;
}

/** Where a line is from. */
export interface LineContext {
  readonly number: number;
  /** What was in front of the text in its line. */
  readonly prefix: string;
  readonly time: { readonly at?: number; readonly isLocalTime?: true };
}

interface Piece extends LineContext {
  readonly offset: number;
  readonly text: string;
}

const nowhere: LineContext = { number: 0, prefix: '', time: {} };

/** More of one passage is not read as one: no body is as long. */
const longestPassage = 4 * 1024 * 1024;
/** Each takes far more memory than an empty line does in the file. */
const mostPassageLines = 20_000;
/** Unescaping what is left of a line; each takes away a layer. */
const mostLayers = 8;
/** A closing bracket ends this many that are open within its own. */
const mostClosed = 8;

const closers: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')' };
const word = /[^\s,;&?=:{}[\]()]+/y;
/** An XML element without others in it. */
const element = /<([\w:.-]{1,80})>([^<>"]*)<\/[\w:.-]{1,80}>/g;
const entity = /&(?:quot|apos|#34|#39|#x22|#x27);/iy;
/** In front of a quotation mark: b'' of Python, +"" of Symfony. */
const marks = 'bBuUrRfF+-&';

/** What may be on a further line of something that is open, a line of Base64 too. */
const continuation =
  /^(?:\s|[}\])("'`]|(?=[a-zA-Z]*[\d+/])[\w+/]{20,}={0,2}(?:[\]})"'\s,]|$)|[\w+/]{1,19}==?[\]})"']*$|-?\d[\d.eE+-]*\s*(?:[,\]}]\s*)?$|(?:true|false|null)\b|$)/;

/** Whether a line may belong to what is open and whose text so far ends with `before`. */
export function continues(line: string, before: string): boolean {
  if (/^\s*[[{]/.test(line)) return /[[{(,:=>]\s*$/.test(before.slice(-64)) || isPairInList(line);
  return continuation.test(line);
}

/** A name of print_r or var_dump. */
function isPairInList(line: string): boolean {
  return /^\s+\[["']?[\w:\\"]{1,80}\]\s*=>/.test(line);
}

/**
 * Reads objects in whatever notation a program printed them: JSON, console.log of Node, print_r, var_dump and
 * var_export of PHP, repr of Python, inspect of Ruby, toString of Java, %+v of Go, forms, logfmt and attributes. All
 * are names, separators and values in brackets or in a line. Each character is read once for each layer of escapes.
 */
export class NotationReader {
  #pieces: Piece[] = [];
  #length = 0;
  #open: Written[] = [];

  /** Whether something has begun and not ended. */
  get isOpen(): boolean {
    return this.#open.length > 1;
  }

  /** Takes the next line; returns what ended with it. */
  add(line: string, context = nowhere): readonly Passage[] {
    const given = this.isOpen && !this.#continues(line) ? this.end() : [];
    if (this.#open.length === 0) this.#open = [newWritten(0, '', false)];
    this.#scan(`${line}\n`, context);
    return this.isOpen ? given : [...given, ...this.end()];
  }

  /** The end of the text: what is open ends here. */
  end(): readonly Passage[] {
    while (this.#open.length > 1) this.#close(-1);
    const [root] = this.#open;
    if (root !== undefined) endEntry(root);
    const found = root !== undefined && root.entries.length > 0;
    const passages = found ? [new Passage(root, this.#pieces)] : [];
    this.#pieces = [];
    this.#length = 0;
    this.#open = [];
    return passages;
  }

  #continues(line: string): boolean {
    if (this.#length + line.length > longestPassage) return false;
    if (this.#pieces.length >= mostPassageLines) return false;
    return continues(line, this.#pieces.at(-1)?.text ?? '');
  }

  #scan(line: string, context: LineContext): void {
    const base = this.#length;
    // CSV doubles quotation marks (RFC 4180 2.7)
    let text = /\{""\w/.test(line) ? line.replaceAll('""', '"') : line;
    if (text.includes('</')) text = text.replace(element, asAttribute);
    let layers = 0;
    const unclosed = new Set<string>();
    for (let at = 0; at < text.length; ) {
      const top = this.#open.at(-1) as Written;
      const sign = text.charAt(at);
      const next = text.charAt(at + 1);
      if (sign === '\n') {
        endLine(top);
        at += 1;
      } else if (sign <= ' ') at += 1;
      else if (sign in closers) {
        this.#open.push(newWritten(base + at, closers[sign] ?? '', isNamed(text, at)));
        at += 1;
      } else if (sign === '}' || sign === ']' || sign === ')') {
        this.#closeBy(sign, base + at + 1);
        at += 1;
      } else if (sign === '"' || sign === "'" || sign === '`') {
        const isMark = !unclosed.has(sign) && !isBeforeJson(text, at);
        const end = isMark ? closingQuote(text, at) : -1;
        if (isMark && end === -1) unclosed.add(sign);
        if (end !== -1)
          quoted(top, { from: base + at + 1, to: base + end, isQuoted: true }, text, base);
        at = end === -1 ? at + 1 : end + 1;
      } else if (sign === '+' && next === '\n' && top.entry && isQuotedText(top.entry.value)) {
        top.entry.isJoined = true;
        at += 1;
      } else if (sign === '\\' && this.isOpen && layers < mostLayers) {
        text = text.slice(0, at) + unescaped(text.slice(at));
        layers += 1;
        unclosed.clear();
      } else if (sign === '&' && isEntity(text, at) && layers < mostLayers) {
        text = text.slice(0, at) + withoutEntities(text.slice(at));
        layers += 1;
      } else if (sign === '&' && '{"['.includes(next)) at += 1;
      else if (sign === ',' || sign === ';' || sign === '&' || sign === '?') {
        endEntry(top);
        top.isForm ||= sign === '&';
        at += 1;
      } else if (sign === ':' || sign === '=') {
        const isArrow = sign === '=' && next === '>';
        separate(top, base + at, isArrow ? '=>' : sign);
        at += isArrow ? 2 : 1;
      } else if (marks.includes(sign) && (next === '"' || next === "'")) at += 1;
      else {
        word.lastIndex = at;
        word.test(text);
        const end = Math.max(word.lastIndex, at + 1);
        bare(top, base + at, base + end);
        at = end;
      }
    }
    this.#pieces.push({ offset: base, text, ...context });
    this.#length += text.length;
  }

  /** A bracket that closes nothing is a character like others. */
  #closeBy(sign: string, to: number): void {
    const inner = this.#open.slice(Math.max(1, this.#open.length - mostClosed)).toReversed();
    const above = inner.findIndex(({ closer }) => closer === sign);
    for (let count = 0; count < above; count += 1) this.#close(-1);
    if (above !== -1) this.#close(to);
  }

  #close(to: number): void {
    const closed = this.#open.pop();
    const parent = this.#open.at(-1);
    if (closed === undefined || parent === undefined) return;
    endEntry(closed);
    closed.to = to;
    attach(parent, closed);
  }
}

function newWritten(from: number, closer: string, named: boolean): Written {
  return {
    from,
    to: -1,
    closer,
    isNamed: named,
    entries: [],
    entry: undefined,
    separator: '',
    isKeyed: false,
    isForm: false,
  };
}

/** Whether the name of a class is in front, which has lost the types that JSON had: `Name{`, `Name {`, `name(`. */
function isNamed(text: string, at: number): boolean {
  const [, name = '', gap] = /\b(\w+)( ?)$/.exec(text.slice(Math.max(0, at - 40), at)) ?? [];
  if (gap === '') return !['array', 'dict', 'object'].includes(name);
  return /^[A-Z]/.test(name);
}

/** A quotation mark around JSON that was put there without escaping it: `"{"a":1}"`. */
function isBeforeJson(text: string, at: number): boolean {
  return text.charAt(at + 1) === '{' && text.charAt(at + 2) === text.charAt(at);
}

/** How far an apostrophe within a text may be from its real end. */
const nearby = 200;

/** The end of a quoted text: the next mark that isn't escaped, and after which no word goes on. */
function closingQuote(text: string, at: number): number {
  const mark = text.charAt(at);
  let first = -1;
  for (let end = at + 1; end < text.length; end += 1) {
    const sign = text.charAt(end);
    if (sign === '\n' || (first !== -1 && end - first > nearby)) break;
    if (sign === '\\') end += 1;
    else if (sign === mark) {
      if (!/\w/.test(text.charAt(end + 1))) return end;
      if (first === -1) first = end;
    }
  }
  return first;
}

function isWritten(value: Span | Written | undefined): value is Written {
  return value !== undefined && 'entries' in value;
}

function isQuotedText(value: Span | Written | undefined): value is Span {
  return value !== undefined && !isWritten(value) && value.isQuoted;
}

/** The name in `('name', value)`. */
function nameOfTuple({ key, value }: Entry): Span | undefined {
  if (key !== undefined || !isWritten(value) || value.closer !== ')') return undefined;
  const [name, ...rest] = value.entries;
  return rest.length === 1 && isQuotedText(name?.value) ? name.value : undefined;
}

function isBare(value: Span | Written | undefined): value is Span {
  return value !== undefined && !isWritten(value) && !value.isQuoted;
}

function bare(top: Written, from: number, to: number): void {
  const { entry } = top;
  if (entry !== undefined && isBare(entry.value)) {
    entry.beforeLast = entry.value.to;
    entry.value.to = to;
    entry.lastWord = from;
  } else begin(top, { from, to, isQuoted: false }, from);
}

function quoted(top: Written, value: Span, text: string, base: number): void {
  const { entry } = top;
  if (entry?.isJoined && isQuotedText(entry.value)) {
    entry.isJoined = false;
    entry.value.to = value.to;
    return;
  }
  if (entry === undefined || !isBare(entry.value) || top.closer === '') {
    begin(top, value);
    return;
  }
  const before = text.slice(Math.max(0, entry.value.from - base), entry.value.to - base);
  if (/^(?:string\(\d+\)|.)$/.test(before)) entry.value = value;
  else entry.value.to = value.to + 1;
}

/** The value of the pair whose name was read, or a new element. */
function begin(top: Written, value: Span | Written, lastWord = value.from): void {
  if (top.entry?.value !== undefined) endEntry(top);
  top.entry ??= newEntry(undefined, lastWord);
  top.entry.value = value;
  top.entry.lastWord = lastWord;
  top.entry.beforeLast = lastWord;
}

function newEntry(key: Span | undefined, afterSign: number): Entry {
  return { key, lastWord: afterSign, beforeLast: afterSign, afterSign };
}

function separate(top: Written, at: number, sign: string): void {
  const { entry } = top;
  if (entry?.value === undefined) return;
  const { value } = entry;
  const named = nameIn(entry);
  if (entry.key === undefined) {
    const isOther = top.closer !== '' && top.separator !== '' && sign !== top.separator;
    if (isOther && isBare(value)) {
      value.to = at + sign.length;
      return;
    }
    if (named === undefined) {
      endEntry(top);
      return;
    }
    top.separator ||= sign;
    top.entry = newEntry(named, at + sign.length);
  } else if (isWritten(value)) {
    if (named === undefined || sign !== '=>') return;
    // print_r leaves an empty value out: this is the next name
    entry.value = undefined;
    endEntry(top);
    top.entry = newEntry(named, at + sign.length);
  } else if (isBare(value)) {
    const isLater = entry.beforeLast < entry.lastWord;
    // `message: result:map[…]`: an empty value of Go, and the next name
    const isAfterNone = entry.lastWord === value.from && value.from > entry.afterSign;
    const isSame = sign === top.separator || top.closer === '';
    if (value.to !== at || !isSame || !(isLater || isAfterNone)) value.to = at + sign.length;
    else {
      const key = { from: entry.lastWord, to: at, isQuoted: false };
      if (isLater) value.to = entry.beforeLast;
      else entry.value = undefined;
      endEntry(top);
      top.entry = newEntry(key, at + sign.length);
    }
  }
}

/** What is in front of a separator as a name: the last word, a quoted text, or either in brackets. */
function nameIn({ value, lastWord }: Entry): Span | undefined {
  if (!isWritten(value)) return value?.isQuoted === false ? { ...value, from: lastWord } : value;
  const [only, ...others] = value.entries;
  if (only === undefined || others.length > 0 || value.closer !== ']') return undefined;
  return only.key ?? (isWritten(only.value) ? undefined : only.value);
}

/** An object after the name of its class is the value, not the name. */
function attach(parent: Written, closed: Written): void {
  const { entry } = parent;
  const last = parent.entries.at(-1);
  if (entry === undefined) {
    // print_r: `[result] => Array`, and the object in the next line
    const isOfLast = closed.isKeyed && parent.closer !== '' && last?.key && isBare(last.value);
    if (isOfLast) last.value = closed;
    else begin(parent, closed);
  } else if (isBare(entry.value)) {
    const isNamedEmpty = closed.closer !== ')' && closed.entries.length === 0;
    const isOneWord = entry.lastWord === entry.value.from || parent.closer === '';
    const isObject = closed.isKeyed || closed.entries.some(({ value }) => isWritten(value));
    const isValue = isObject && (closed.closer !== ')' || isOneWord);
    if (isValue || (isNamedEmpty && isOneWord)) entry.value = closed;
    else if (closed.to !== -1) entry.value.to = closed.to;
  } else begin(parent, closed);
}

/** A name waits for its value in the next line. */
function endLine(top: Written): void {
  if (top.entry?.value !== undefined && !top.entry.isJoined) endEntry(top);
}

function endEntry(top: Written): void {
  const { entry } = top;
  if (entry === undefined) return;
  top.entry = undefined;
  const last = top.entries.at(-1);
  const isRest = entry.key === undefined && last?.key !== undefined && top.closer !== '';
  if (isRest && isBare(entry.value) && last.value !== undefined && !isWritten(last.value)) {
    // a text without quotation marks may contain commas and lines
    if (isBare(last.value)) last.value.to = entry.value.to;
    else last.rest ??= entry.value;
    return;
  }
  top.isKeyed ||= entry.key !== undefined;
  top.entries.push(entry);
}

const escapes = /\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\s\S]))/g;
const bytes = /(?:\\x[89a-fA-F][\da-fA-F])+/g;
const letters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Without one layer of the escapes of JSON, of nginx (\x22), and of the languages that have both. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  const decoded = text.replace(bytes, (run) =>
    Buffer.from(run.replaceAll('\\x', ''), 'hex').toString('utf8'),
  );
  return decoded.replace(escapes, (_, unit, byte, sign) =>
    sign === undefined
      ? String.fromCharCode(Number.parseInt(unit ?? byte, 16))
      : (letters[sign] ?? sign),
  );
}

function isEntity(text: string, at: number): boolean {
  entity.lastIndex = at;
  return entity.test(text);
}

function withoutEntities(text: string): string {
  return text
    .replace(/&(?:quot|#34|#x22);/gi, '"')
    .replace(/&(?:apos|#39|#x27);/gi, "'")
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
}

export const requestFields = [
  ...['client_id', 'used_type', 'ptn_cd', 'public_key', 'partner_sp', 'ubifill'],
  ...['secret_key', 'ptn_token', 'acs_token'],
];
/** What is in the result of a success. */
export const resultFields = ['enc_partner_key', 'acs_token', 'ptn_sp', 'expire_dt'];
export const wireFields = new Set([
  ...[...requestFields, ...resultFields],
  ...['code', 'message', 'result'],
]);
const byPlainName = new Map(Array.from(wireFields, (name) => [name.replaceAll('_', ''), name]));

/** The name of the interface's field, also in camel case; as it is for any other. */
export function fieldNamed(name: string): string {
  if (wireFields.has(name)) return name;
  const plain = name
    .replace(/^[^\w]+/, '')
    .replaceAll('_', '')
    .toLowerCase();
  return byPlainName.get(plain) ?? name;
}

function asAttribute(whole: string, name: string, value: string): string {
  return wireFields.has(fieldNamed(name)) ? ` ${name}="${value}" ` : whole;
}

/** Deeper values are left out. */
const deepest = 12;
const nothing = /^(?:null|NULL|nil|<nil>|None|undefined|Optional\.empty)$/;
const wrapper = /^(?:Some|Optional|Just)[([]["']?(.*?)["']?[)\]]$/s;
const phpScalar = /^(?:int|float|bool)\((.*)\)$/;

/** A message in a log, without what the notation lost. */
export interface WrittenBody {
  readonly fields: JsonObject;
  /** As it was sent, where it is JSON with the names of the interface. */
  readonly sent: Buffer | undefined;
  /** Its end is missing. */
  readonly isCut: boolean;
}

/** The values of an object by their names. */
export type Values = ReadonlyMap<string, Span | Written | undefined>;

/** Lines that belong together, and what is in them. */
export class Passage {
  readonly root: Written;
  /** All of it. */
  readonly text: string;
  readonly #pieces: readonly Piece[];
  #piece = 0;

  constructor(root: Written, pieces: readonly Piece[]) {
    this.root = root;
    this.#pieces = pieces;
    this.text = pieces.map(({ text }) => text).join('');
  }

  /** The number of its first line. */
  get number(): number {
    return this.#pieces[0]?.number ?? 0;
  }

  /** The line on which an object begins, and what is in front of it; objects are asked for in their order. */
  contextOf({ from }: Written): LineContext & { readonly before: string } {
    while ((this.#pieces[this.#piece + 1]?.offset ?? Infinity) <= from) this.#piece += 1;
    const { number, prefix, time, offset } = this.#pieces[this.#piece] ?? { ...nowhere, offset: 0 };
    const before = this.text.slice(Math.max(offset, from - 400), from);
    return { number, prefix, before, time };
  }

  /** The values, by the names of the interface where they are its fields. */
  valuesOf(written: Written): Values {
    return new Map(this.#pairsOf(written).map(([name, { value }]) => [name, value]));
  }

  /** Also those of a list of tuples, as Python writes an OrderedDict. */
  #pairsOf({ entries }: Written): readonly (readonly [name: string, entry: Entry])[] {
    const pairs: (readonly [string, Entry])[] = [];
    for (const entry of entries) {
      const { key = nameOfTuple(entry), value } = entry;
      const pair = entry.key === undefined && isWritten(value) ? value.entries[1] : entry;
      if (key && pair) pairs.push([fieldNamed(this.#slice(key)), pair]);
    }
    return pairs;
  }

  /** Those of the values that are texts and have one of these names; the id of the request that a logger describes too. */
  textsOf(values: Values, isWanted: (name: string) => boolean): JsonObject {
    const request = values.get('req') ?? values.get('request');
    const id = isWritten(request) ? this.valuesOf(request).get('id') : undefined;
    const texts: Record<string, string> = {};
    const add = (name: string, value: Span | Written | undefined) => {
      if (value && !isWritten(value)) texts[name] = unescaped(this.#slice(value)).trim();
    };
    for (const [name, value] of values) if (isWanted(name)) add(name, value);
    add('request_id', id);
    return texts;
  }

  /** The first text of several lines that matches, such as the stack trace in a logger's JSON. */
  linesWithin({ entries }: Written, wanted: RegExp, depth = 0): string | undefined {
    if (depth > deepest) return undefined;
    for (const { value } of entries) {
      if (value === undefined) continue;
      const found = isWritten(value) ? this.linesWithin(value, wanted, depth + 1) : '';
      const raw = found === '' && isQuotedText(value) ? this.#slice(value) : '';
      if (found || (raw.includes('\\n') && wanted.test(raw))) return found || unescaped(raw);
    }
    return undefined;
  }

  /** The text of a value that matches, without its layer of escapes; undefined where it has none, or none matches. */
  textWithin(value: Span, { isForm }: Written, wanted: RegExp): string | undefined {
    const raw = this.#slice(value);
    if (!wanted.test(raw)) return undefined;
    if (value.isQuoted) return withoutEntities(unescaped(raw));
    const decoded = isForm ? percentDecoded(raw) : raw;
    return decoded === raw ? undefined : decoded;
  }

  /** An object as it is in the log. */
  #textOf({ from, to }: Written): string {
    return this.text.slice(from, to);
  }

  /** What the object says: exact JSON as it is, else without what its notation adds. */
  bodyOf(written: Written): WrittenBody {
    const isCut = written.to === -1 && written.closer !== '';
    const isWhole = written.closer === '}' && !isCut;
    const bytes = isWhole ? Buffer.from(this.#textOf(written)) : undefined;
    const exact = bytes && objectIn(bytes);
    if (exact && Object.keys(exact).every((name) => fieldNamed(name) === name))
      return { fields: exact, sent: bytes, isCut };
    return { fields: this.#object(written, 0), sent: undefined, isCut };
  }

  #object(written: Written, depth: number): JsonObject {
    const isTyped = this.#isTyped(written);
    const pairs = this.#pairsOf(written).flatMap(([name, entry]): [string, unknown][] => {
      const value = this.#value(entry, written, depth + 1, isTyped);
      const isOfName = wireFields.has(name);
      const single = isOfName && Array.isArray(value) && value.length === 1 ? value[0] : value;
      if (isTyped || !isOfName) return [[name, single]];
      if (name === 'message') return [[name, typeof single === 'object' ? '' : single]];
      // a class has all of its fields, those that were not sent too
      return single === null || single === '' ? [] : [[name, single]];
    });
    return Object.fromEntries(pairs);
  }

  /** Whether its notation tells a number from a text. */
  #isTyped({ isNamed: named, separator, entries }: Written): boolean {
    const isQuoted = (entry: Entry) =>
      (entry.key ?? nameOfTuple(entry))?.isQuoted || isQuotedText(entry.value);
    return !named && separator !== '=' && entries.some(isQuoted);
  }

  #value({ value, rest }: Entry, parent: Written, depth: number, isTyped: boolean): unknown {
    if (value === undefined || depth > deepest) return isTyped ? null : '';
    if (isWritten(value)) return this.#nested(value, depth);
    if (value.isQuoted) {
      const isCut = rest !== undefined && /^(?:\.\.\.|\+)/.test(this.#slice(rest));
      const text = this.#slice(value).replace(/(['"`]) \+\n\s*\1/g, '');
      return unescaped(text) + (isCut ? '…' : '');
    }
    const written = this.#slice(value).trim();
    const text = wrapper.exec(written)?.[1] ?? phpScalar.exec(written)?.[1] ?? written;
    if (nothing.test(text)) return null;
    if (!isTyped) return parent.isForm ? percentDecoded(text.replace(/\s.*/s, '')) : text;
    if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
    return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  }

  #nested(written: Written, depth: number): unknown {
    const isObject = written.isKeyed || written.entries.some(nameOfTuple);
    if (isObject) return this.#object(written, depth);
    if (isLeftOut(this.#textOf(written))) return '[Object]';
    const items = written.entries.map((entry) => this.#value(entry, written, depth + 1, true));
    if (items.length === 0 && written.closer === '}') return {};
    return items;
  }

  #slice({ from, to }: Span): string {
    return this.text.slice(from, to);
  }
}

/** What console.log writes for what is deeper than it goes. */
function isLeftOut(text: string): boolean {
  return /^\[(?:Object|Array|Circular \*?\d*)\]$/.test(text);
}

/** A form's text; as it is where it was decoded before. */
function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
