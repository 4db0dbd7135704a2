import { entityCharacter } from './entities.ts';

/** A text as it reads after decoding, and where each of its code units is in the text that is redacted. */
export interface View {
  readonly text: string;
  readonly startOf: (index: number) => number;
  readonly endOf: (index: number) => number;
  /** Whether it ends where the text was cut off, perhaps in the middle of an encoded character. */
  readonly isCut: boolean;
}

export function plainView(text: string): View {
  return { text, startOf: (index) => index, endOf: (index) => index + 1, isCut: false };
}

/** What is in the place of what was cut off. */
export const ellipsis = '…';

/** A view that is put together piece by piece out of another. */
class ViewBuilder {
  #text = '';
  /** Where each piece begins in the view and in the other, and where a replaced one ends there; copied ones have -1. */
  readonly #pieces: number[] = [];
  readonly #from: View;

  constructor(from: View) {
    this.#from = from;
  }

  get length(): number {
    return this.#text.length;
  }

  copy(start: number, end: number): void {
    if (start === end) return;
    this.#pieces.push(this.length, start, -1);
    this.#text += this.#from.text.slice(start, end);
  }

  /** `characters` for what is at `start` to `end`. */
  replace(start: number, end: number, characters: string): void {
    if (characters === '') return;
    this.#pieces.push(this.length, start, end);
    this.#text += characters;
  }

  build(): View {
    const { startOf, endOf, isCut } = this.#from;
    const pieces = Int32Array.from(this.#pieces);
    const at = (index: number): readonly [start: number, last: number] => {
      const piece = 3 * lastPieceUpTo(index, pieces);
      const [begin = 0, start = 0, end = -1] = pieces.subarray(piece, piece + 3);
      const copied = start + index - begin;
      return end === -1 ? [copied, copied] : [start, end - 1];
    };
    return {
      text: this.#text,
      startOf: (index) => startOf(at(index)[0]),
      endOf: (index) => endOf(at(index)[1]),
      isCut,
    };
  }
}

/** The number of the last piece that begins at or before `index`. */
function lastPieceUpTo(index: number, pieces: Int32Array): number {
  let low = 0;
  let high = pieces.length / 3 - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[3 * middle] ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Escapes of JSON and most languages (`\u002B`, `\u{2b}`, `\x2b`, `\053`, `\"`), of a POSIX shell (`'\''`), of URLs
 * (`%2B`, `%u002B`) and of HTML (`&amp;`, `&#43;`, `&#x2b;`), and one that was cut off in its middle.
 */
const escapes = new RegExp(
  [
    /(?<cut>\\(?:u[0-9a-f]{0,3}|x[0-9a-f]?|[0-3][0-7]?)?(?=…|$)|%[0-9a-f]?(?=…|$)|&#?[a-z0-9]{0,7}(?=…))/,
    /\\u\{(?<braced>[0-9a-f]{1,6})\}|\\u(?<unit>[0-9a-f]{4})|%u(?<wide>[0-9a-f]{4})/,
    /&#x(?<hex>[0-9a-f]{1,6});?|&#(?<decimal>\d{1,7});?|&(?<name>[a-z][a-z0-9]{1,7});/,
    /(?<percents>(?:%[0-9a-f]{2})+)|(?<bytes>(?:\\x[0-9a-f]{2})+)|(?<octals>(?:\\[0-3][0-7]{2})+)/,
    /(?<quote>'\\'')|\\(?<char>[^\r\n])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

const short: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
};

/** The view with each escape decoded once; undefined if it has none. */
export function decodedView(view: View): View | undefined {
  const { text } = view;
  if (!/[\\%&]/.test(text)) return undefined;
  const built = new ViewBuilder(view);
  let copied = 0;
  for (const match of text.matchAll(escapes)) {
    const { index, groups = {} } = match;
    const end = index + match[0].length;
    const bytes = bytesOf(groups);
    const character = bytes === undefined ? characterOf(groups) : '';
    if (character === undefined) continue;
    built.copy(copied, index);
    if (bytes === undefined) built.replace(index, end, character);
    else {
      const isCut = cutOff.test(text.slice(end, end + 8));
      addBytes(bytes, { index, unitsEach: (end - index) / bytes.length, isCut }, built);
    }
    copied = end;
  }
  if (copied === 0) return undefined;
  built.copy(copied, text.length);
  return built.build();
}

/** What may be left of an escape in front of an ellipsis. */
const cutOff = /^(?:[%\\][ux0-9a-f]{0,5})?…/i;

type Groups = Readonly<Record<string, string | undefined>>;

function characterOf({ cut, braced, unit, wide, hex, decimal, name, quote, char }: Groups) {
  if (cut !== undefined) return '';
  if (quote !== undefined) return "'";
  if (char !== undefined) return short[char] ?? char;
  if (name !== undefined) return entityCharacter(name);
  const code = decimal ? Number(decimal) : Number.parseInt(braced ?? unit ?? wide ?? hex ?? '', 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

function bytesOf({ percents, bytes, octals }: Groups): Uint8Array | undefined {
  if (octals !== undefined)
    return Uint8Array.from(octals.slice(1).split('\\'), (digits) => Number.parseInt(digits, 8));
  const digits = percents?.replaceAll('%', '') ?? bytes?.replace(/\\x/gi, '');
  return digits === undefined ? undefined : Buffer.from(digits, 'hex');
}

/** Bytes that are not UTF-8 are read as Latin-1. */
function addBytes(
  bytes: Uint8Array,
  {
    index,
    unitsEach,
    isCut,
  }: { readonly index: number; readonly unitsEach: number; readonly isCut: boolean },
  built: ViewBuilder,
): void {
  const buffer = Buffer.from(bytes);
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    // A sequence of which only the first bytes are left is not a character.
    if (isCut && length === 1 && (bytes[at] ?? 0) >= 0xc2 && at + 3 >= bytes.length) return;
    const character = buffer.toString(length === 1 ? 'latin1' : 'utf8', at, at + length);
    built.replace(index + unitsEach * at, index + unitsEach * (at + length), character);
    at += length;
  }
}

/** Of the UTF-8 sequence at `at`; 1 if it isn't one. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
  for (let next = 1; next < length; next += 1) {
    if (((bytes[at + next] ?? 0) & 0xc0) !== 0x80) return 1;
  }
  return length;
}

/** White space, soft hyphens and invisible joints. */
const gap = /[\s\u00ad\u200b\u2060\ufeff]+/g;

/** The same with what marks a soft line break before it. */
const softGap = /(?:[=\\](?=\r?\n|\r?…)|[\s\u00ad\u200b\u2060\ufeff])+/g;

/** A break that a mail, a terminal or an editor puts into a long word. */
const breaks = /[\n\r\u0085\u2028\u2029\u00ad\u200b\u2060]/;

/** A view without white space. */
export interface UnwrappedView extends View {
  /** Whether there was a line break between two of its positions. */
  readonly isWrapped: (start: number, end: number) => boolean;
}

/** The view without white space, and without the marks of soft line breaks; none if nothing in it is wrapped. */
export function unwrappedViews(view: View): readonly UnwrappedView[] {
  if (!breaks.test(view.text)) return [];
  const isMarked = /[=\\](?:\r?\n|\r?…)/.test(view.text);
  return [gap, ...(isMarked ? [softGap] : [])].map((pattern) => withoutGaps(view, pattern));
}

function withoutGaps(view: View, pattern: RegExp): UnwrappedView {
  const { text } = view;
  const built = new ViewBuilder(view);
  const broken = new Uint8Array(text.length + 1);
  let copied = 0;
  for (const match of text.matchAll(pattern)) {
    built.copy(copied, match.index);
    if (breaks.test(match[0])) broken[built.length] = 1;
    copied = match.index + match[0].length;
  }
  built.copy(copied, text.length);
  return {
    ...built.build(),
    isWrapped: (start, end) => broken.subarray(start + 1, end).includes(1),
  };
}

/** `text` without all that {@link unwrappedViews} leave out. */
export function unwrapped(text: string): string {
  return text.replace(gap, '');
}

/** The parts of decoded bytes that are text, in which there may be further encodings. */
export function* readableViews({ text, startOf, endOf, isCut }: View): Generator<View> {
  for (const { 0: part, index } of text.matchAll(/[\t\n\r -~]{8,}/g)) {
    yield {
      text: part,
      startOf: (unit) => startOf(index + unit),
      endOf: (unit) => endOf(index + unit),
      isCut: isCut && index + part.length === text.length,
    };
  }
}

const base64Run = /[A-Za-z0-9+/_-](?:(?:\r?\n[ \t]*)?[A-Za-z0-9+/_-]){7,}/g;
const hexRun = /[0-9a-f](?:[\s:-]{0,4}[0-9a-f]){7,}/gi;

/** What every run of Base64 digits and of hexadecimal digits decodes to, wherever in it the encoding begins. */
export function* encodedViews(view: View): Generator<View> {
  for (const match of view.text.matchAll(base64Run)) {
    const digits = digitsOf(view, match, /[\r\n \t]/);
    for (let offset = 0; offset < 4; offset += 1)
      yield bytesView(view, digits, offset, { bits: 6, encoding: 'base64' });
  }
  for (const match of view.text.matchAll(hexRun)) {
    const digits = digitsOf(view, match, /[\s:-]/);
    for (let offset = 0; offset < 2; offset += 1)
      yield bytesView(view, digits, offset, { bits: 4, encoding: 'hex' });
  }
}

interface Digits {
  readonly text: string;
  /** The position of a digit in the view. */
  readonly at: (digit: number) => number;
  readonly isCut: boolean;
}

function digitsOf({ text, isCut }: View, { 0: run, index }: RegExpExecArray, gaps: RegExp): Digits {
  const end = index + run.length;
  const isCutOff =
    /^[\s:=\\-]{0,4}…/.test(text.slice(end, end + 5)) || (isCut && end === text.length);
  if (!gaps.test(run)) return { text: run, at: (digit) => index + digit, isCut: isCutOff };
  const positions: number[] = [];
  let digits = '';
  for (let at = 0; at < run.length; at += 1) {
    const unit = run.charAt(at);
    if (gaps.test(unit)) continue;
    digits += unit;
    positions.push(index + at);
  }
  return { text: digits, at: (digit) => positions[digit] ?? index, isCut: isCutOff };
}

/** The bytes as Latin-1. */
function bytesView(
  view: View,
  { text, at, isCut }: Digits,
  offset: number,
  { bits, encoding }: { readonly bits: number; readonly encoding: 'base64' | 'hex' },
): View {
  return {
    text: Buffer.from(text.slice(offset), encoding).toString('latin1'),
    startOf: (index) => view.startOf(at(offset + Math.floor((index * 8) / bits))),
    endOf: (index) => view.endOf(at(offset + Math.ceil(((index + 1) * 8) / bits) - 1)),
    isCut,
  };
}
