/**
 * Distributions over text, as the bits that each character costs (-log2 of its probability). The
 * probabilities add up to less than one, so that evidence against noise is never overstated.
 */

/** What characters of ASCII cost, from rare to frequent: the later line counts. */
const asciiCosts: readonly (readonly [bits: number, from: string, to: string])[] = [
  [9.5, '!', '~'],
  ...[...'.:,@_/{}<>=&%+|;-'].map((sign) => [7, sign, sign] as const),
  [5.5, ' ', ' '],
  [5.5, '"', '"'],
  [7.8, 'A', 'Z'],
  [6, '0', '9'],
  [5.8, 'a', 'z'],
  [9, '\t', '\n'],
  [9, '\r', '\r'],
];

/** Text mostly in ASCII: JSON, addresses, markup. */
const asciiBits: readonly number[] = asciiCosts.reduce(
  (costs, [bits, from, to]) => costs.fill(bits, from.charCodeAt(0), to.charCodeAt(0) + 1),
  new Array<number>(0x80).fill(Number.POSITIVE_INFINITY),
);

/** log2 of the 98 printable characters of ASCII, and of their share of 0.35. */
const otherAsciiBits = 8.2;

/** Hangul syllables, and Chinese characters with Japanese kana, by the number of their code points. */
const hangulBits = Math.log2(11_172);
const hanBits = Math.log2(21_500);

/** The cost of a text whose characters are mostly ASCII; infinite for control characters. */
export function asciiTextBits(text: string): number {
  return sum(text, (code) => asciiBits[code] ?? outsideAsciiBits(code));
}

/** The rest beside ASCII (0.05): Latin letters with marks, other alphabets, Hangul, Han and kana, others. */
function outsideAsciiBits(code: number): number {
  if (code < 0x250) return 6.1 + Math.log2(0x1d0);
  if (code < 0x800) return 6.7 + Math.log2(0x5b0);
  if (isHangul(code)) return 6.1 + hangulBits;
  if (isHan(code)) return 7 + hanBits;
  return 9 + Math.log2(150_000);
}

/** How a text in ASCII and one other script mixes them: what each character costs beside its place. */
interface Mixture {
  readonly asciiBits: (code: number) => number;
  /** -log2 of the share of characters in the other script. */
  readonly scriptShareBits: number;
}

/** Markup or fields with a name in it: 0.8 ASCII as above, 0.19 in the script. */
const fields: Mixture = {
  asciiBits: (code) => (asciiBits[code] ?? 0) + 0.33,
  scriptShareBits: 2.4,
};

/** A name: 0.35 ASCII, all alike, 0.62 in the script. */
const name: Mixture = { asciiBits: () => otherAsciiBits, scriptShareBits: 0.7 };

/** The cost of a text with one script beside ASCII, the choice of script and mixture included. */
export function scriptTextBits(text: string): number {
  const script = [...text].map(scriptOf).find((found) => found !== 'ascii');
  if (script === undefined) return Number.POSITIVE_INFINITY;
  return 7 + Math.min(mixtureBits(text, script, fields), mixtureBits(text, script, name));
}

function mixtureBits(text: string, script: string, mixture: Mixture): number {
  const inScript = mixture.scriptShareBits + sizeBits(script);
  return sum(text, (code, character) => {
    const found = scriptOf(character);
    if (found === 'ascii') return mixture.asciiBits(code);
    return found === script ? inScript : 7 + Math.log2(150_000);
  });
}

function sizeBits(script: string): number {
  if (script === 'hangul') return hangulBits;
  if (script === 'han') return hanBits;
  return script === 'other' ? Math.log2(150_000) : 8;
}

/** Alphabets below U+2000 by their page of 256 code points, which contains one or two of them. */
function scriptOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return 'ascii';
  if (code < 0x2000) return `page ${code >> 8}`;
  if (isHangul(code)) return 'hangul';
  return isHan(code) ? 'han' : 'other';
}

function isHangul(code: number): boolean {
  return code >= 0xac00 && code <= 0xd7a3;
}

function isHan(code: number): boolean {
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3040 && code <= 0x30ff);
}

/** Whether a text contains assigned characters only and no control character but tab and line ends. */
export function isPrintable(text: string): boolean {
  if (/^[ -~\t\n\r]*$/.test(text)) return true;
  return !/[\p{Cn}\p{Co}\p{Cs}]|(?![\t\n\r])\p{Cc}/u.test(text);
}

function sum(text: string, bitsOf: (code: number, character: string) => number): number {
  let bits = 0;
  for (const character of text) bits += bitsOf(character.codePointAt(0) ?? 0, character);
  return bits;
}
