import { type Stack, stacks } from '../errors.ts';
import { callbackFields, detailOf } from './error-text-details.ts';
import { type ErrorText, errorTexts, type TextOrigin } from './error-texts.ts';
import { stackOfText } from './stack-signs.ts';

/** A library's error that was found in a text. */
export interface RecognisedError extends Omit<ErrorText, 'origin'> {
  /** As it was found, with the name of the exception before it; `…` for what may be user data. */
  readonly quote: string;
  /** What is around it in its line, which may name what it is about; not to be shown. */
  readonly surroundings: string;
  readonly stack?: Stack;
  /** What the numbers in it say, as a sentence. */
  readonly detail?: string;
}

/** More bytes or characters are not searched: error pages name their exception early. */
export const searchedLength = 16 * 1024;

interface Searched {
  readonly entry: ErrorText;
  /** The text between placeholders, and the placeholders. */
  readonly parts: readonly string[];
  /** The longest text between placeholders, in lower case. */
  readonly landmark: string;
}

let searched: readonly Searched[] | undefined;

/** The first known error in a message, a stack trace or the body of an error page. */
export function recogniseErrorText(raw: string): RecognisedError | undefined {
  const text = readable(raw.slice(0, searchedLength));
  const lowerCase = text.toLowerCase();
  searched ??= errorTexts.map(partsOf);
  for (const { entry, parts, landmark } of searched) {
    // A pattern is made only where it may match: most responses contain none of these texts.
    if (!lowerCase.includes(landmark)) continue;
    const match = patternOf(entry.text, parts).exec(text);
    if (match === null) continue;
    const { situation, origin, text: known } = entry;
    const stack = stackOf(origin, text);
    const wording = worded(parts, match);
    const quote = namedException(text.slice(0, match.index)) + wording;
    const detail = detailOf(situation, wording);
    const surroundings = around(text, match);
    return {
      situation,
      text: known,
      quote,
      surroundings,
      ...(stack && { stack }),
      ...(detail && { detail }),
    };
  }
  return undefined;
}

/** The library's wording with the numbers that were found. */
function worded(parts: readonly string[], match: RegExpExecArray): string {
  const found = match.slice(1).values();
  return parts
    .map((part) => {
      if (!(part in placeholders)) return part;
      const value: string | undefined = found.next().value;
      return part === '…' ? part : (value ?? '');
    })
    .join('');
}

/** From the field that a validator names before its message to the end of the sentence. */
function around(text: string, { 0: match, index }: RegExpExecArray): string {
  const end = index + match.length;
  const [after = ''] = /^[^"<\n]{0,80}/.exec(text.slice(end, end + 80)) ?? [];
  const before = text.slice(Math.max(0, index - 60), index);
  return before.slice(before.lastIndexOf('\n') + 1) + match + after;
}

/** A trace decides between languages that share libraries, such as Java and Kotlin. */
function stackOf(origin: TextOrigin, text: string): Stack | undefined {
  const own = stacks.find((stack) => stack === origin);
  const seen = stackOfText(text);
  return own === undefined || (own === 'java' && seen === 'kotlin') ? seen : own;
}

/** The full name of the exception in front of its message: "javax.crypto.BadPaddingException: ". */
function namedException(before: string): string {
  return /(?:[\w$]{1,40}[.\\]){0,8}(?:[\w$]{1,40}: |(?<=\.))$/.exec(before.slice(-200))?.[0] ?? '';
}

const placeholders: Readonly<Record<string, string>> = {
  '<n>': '(\\d{1,12})',
  '<hex>': '([0-9a-fA-F]{1,8})',
  '<field>': `(${callbackFields.join('|')})`,
  '…': '([^\\n]{0,160}?)',
  '<end>': '()(?!:?[ \\t]*[^\\s:<"\'`,;})(\\]\\\\])',
};

function partsOf(entry: ErrorText): Searched {
  const parts = entry.text.split(/(<n>|<hex>|<field>|<end>|…)/).filter((part) => part !== '');
  const texts = parts.filter((part) => !(part in placeholders));
  const landmark = texts.reduce((longest, text) => (text.length > longest.length ? text : longest));
  return { entry, parts, landmark: landmark.toLowerCase() };
}

function patternOf(text: string, parts: readonly string[]): RegExp {
  const source = parts.map((part) => placeholders[part] ?? escaped(part)).join('');
  const start = /^\w/.test(text) ? '(?<![A-Za-z0-9_])' : '';
  const end = /\w$/.test(text) ? '(?![A-Za-z0-9_])' : '';
  return new RegExp(start + source + end, 'i');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

const entities: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  '#39': "'",
  '#x27': "'",
  '#34': '"',
  '#x22': '"',
  lt: '<',
  gt: '>',
  amp: '&',
  nbsp: ' ',
};

/** Without the escapes of HTML and JSON in which error pages quote texts. */
function readable(text: string): string {
  return text
    .replace(
      /&(quot|apos|#39|#x27|#34|#x22|lt|gt|amp|nbsp);/gi,
      (whole, name: string) => entities[name.toLowerCase()] ?? whole,
    )
    .replace(/\\(["'/])/g, '$1')
    .replace(/\\u0027/g, "'")
    .replace(/[\u2018\u2019]/g, "'");
}
