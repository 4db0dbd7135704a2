/** What is wrong at the first place where a text stops being JSON (RFC 8259). */
export type JsonSyntaxFault =
  | 'truncated'
  | 'trailing-text'
  | 'trailing-comma'
  | 'single-quotes'
  | 'unquoted-name'
  | 'comment'
  | 'literal'
  | 'leading-zero'
  | 'control-character'
  | 'bad-escape'
  | 'too-deep'
  | 'unexpected';

/** Thrown inside a scan, and caught where it began. */
export class JsonFault extends Error {
  readonly reason: JsonSyntaxFault;
  readonly offset: number;

  constructor(reason: JsonSyntaxFault, offset: number) {
    super(reason);
    this.reason = reason;
    this.offset = offset;
  }
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /[\p{L}_$][\p{L}\p{N}_$]{0,63}/uy;
const literals = ['true', 'false', 'null'];

/** Where the string, number or literal that begins at an offset ends; throws JsonFault where there is none. */
export function endOfScalar(text: string, at: number): number {
  const character = text[at] ?? '';
  if (character === '"') return stringAt(text, at).end;
  return character === '-' || isDigit(character) ? endOfNumber(text, at) : endOfLiteral(text, at);
}

/** The string that begins at an offset, escapes undone, and where it ends; throws JsonFault. */
export function stringAt(text: string, start: number): { value: string; end: number } {
  let at = start + 1;
  let escaped = false;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (Number.isNaN(unit)) throw new JsonFault('truncated', text.length);
    if (unit === 0x22) break;
    if (unit < 0x20) throw new JsonFault('control-character', at);
    if (unit === 0x5c) escaped = true;
    at += unit === 0x5c ? escapeLength(text, at) : 1;
  }
  const raw = text.slice(start, at + 1);
  return { value: escaped ? String(JSON.parse(raw)) : raw.slice(1, -1), end: at + 1 };
}

/** What a character stands for where a quoted name or a value should begin. */
export function unquoted(character: string, otherwise: JsonSyntaxFault): JsonSyntaxFault {
  if (character === "'") return 'single-quotes';
  return character === '/' ? 'comment' : otherwise;
}

function endOfNumber(text: string, at: number): number {
  const token = match(number, text, at);
  if (token === undefined)
    throw new JsonFault(at + 1 === text.length ? 'truncated' : 'unexpected', at);
  const end = at + token.length;
  const next = text[end] ?? '';
  if (/^-?0$/.test(token) && isDigit(next)) throw new JsonFault('leading-zero', at);
  if (/[.eE]/.test(next)) {
    const cut = /^(?:\.|[eE][+-]?)$/.test(text.slice(end, end + 3));
    throw new JsonFault(cut ? 'truncated' : 'unexpected', end);
  }
  return end;
}

function endOfLiteral(text: string, at: number): number {
  const token = match(word, text, at);
  if (token === undefined) throw new JsonFault(unquoted(text[at] ?? '', 'unexpected'), at);
  const end = at + token.length;
  if (literals.includes(token)) return end;
  const cut = end === text.length && literals.some((literal) => literal.startsWith(token));
  throw new JsonFault(cut ? 'truncated' : 'literal', at);
}

function escapeLength(text: string, at: number): number {
  const rest = text.slice(at, at + 6);
  if (/^\\["\\/bfnrt]/.test(rest)) return 2;
  if (/^\\u[0-9a-fA-F]{4}$/.test(rest)) return 6;
  const cut = rest.length < 6 && /^\\(?:u[0-9a-fA-F]*)?$/.test(rest);
  throw new JsonFault(cut ? 'truncated' : 'bad-escape', at);
}

function match(token: RegExp, text: string, at: number): string | undefined {
  token.lastIndex = at;
  return token.exec(text)?.[0];
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}
