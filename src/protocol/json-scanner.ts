/** The deepest nesting that is read; readers in use stop between 64 (.NET) and 1,000 (Jackson). */
export const maxJsonDepth = 1000;

/** What a scan found: nothing wrong, or the first fault and its offset (in UTF-16 code units). */
export interface JsonScan {
  readonly fault?: { readonly reason: JsonSyntaxFault; readonly offset: number };
  /** Names that occur more than once in one object, with the path of that object, at most ten. */
  readonly duplicateNames: readonly string[];
  /** Of these, the paths at the top and one level below it, however many there are. */
  readonly outerDuplicates: ReadonlySet<string>;
}

interface Frame {
  readonly names: Set<string> | undefined; // undefined: an array
  name: string;
}

type Expected =
  | 'value'
  | 'value-or-end'
  | 'name'
  | 'name-or-end'
  | 'colon'
  | 'comma-or-end'
  | 'end';

const maxDuplicates = 10;

/**
 * Walks a text by the grammar of RFC 8259, without recursion and in one pass, to find where and
 * how it first departs from it. The platform's own parser decides whether a text is JSON; this
 * scan explains its refusal in words that don't change with the platform's version, and sees the
 * repeated names that the parser drops.
 */
export function scanJson(text: string): JsonScan {
  const scanner = new Scanner(text);
  const { duplicateNames, outerDuplicates } = scanner;
  try {
    scanner.run();
    return { duplicateNames, outerDuplicates };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { reason, offset } = error;
    return { fault: { reason, offset }, duplicateNames, outerDuplicates };
  }
}

/** Each step reads one token and returns what may come next. */
class Scanner {
  readonly duplicateNames: string[] = [];
  readonly outerDuplicates = new Set<string>();
  readonly #text: string;
  readonly #frames: Frame[] = [];
  #at = 0;
  #expected: Expected = 'value';

  constructor(text: string) {
    this.#text = text;
  }

  run(): void {
    for (;;) {
      this.#at = endOf(whiteSpace, this.#text, this.#at);
      const character = this.#text[this.#at];
      if (character === undefined) {
        if (this.#expected === 'end') return;
        throw this.#fault('truncated');
      }
      this.#expected = this.#step(character);
    }
  }

  #step(character: string): Expected {
    if (this.#expected === 'end') throw this.#fault('trailing-text');
    if (this.#expected === 'colon') return this.#punctuation(character, ':', 'value');
    if (character === '}' || character === ']') return this.#close(character);
    if (this.#expected === 'comma-or-end') return this.#comma(character);
    if (this.#expected === 'name' || this.#expected === 'name-or-end') return this.#name(character);
    return this.#value(character);
  }

  #value(character: string): Expected {
    if (character === '{') return this.#open(new Set());
    if (character === '[') return this.#open(undefined);
    this.#at = endOfScalar(this.#text, this.#at);
    return this.#afterValue();
  }

  #open(names: Set<string> | undefined): Expected {
    if (this.#frames.length === maxJsonDepth) throw this.#fault('too-deep');
    this.#frames.push({ names, name: '' });
    this.#at += 1;
    return names === undefined ? 'value-or-end' : 'name-or-end';
  }

  #close(character: string): Expected {
    const frame = this.#frames.at(-1);
    const closer = frame?.names === undefined ? ']' : '}';
    if (frame === undefined || closer !== character) throw this.#fault('unexpected');
    if (!this.#expected.endsWith('or-end')) throw this.#fault(this.#missingBeforeEnd(frame));
    this.#frames.pop();
    this.#at += 1;
    return this.#afterValue();
  }

  /** In an array a value, and in an object a name, is demanded only behind a comma. */
  #missingBeforeEnd(frame: Frame): JsonSyntaxFault {
    const demanded = frame.names === undefined ? 'value' : 'name';
    return this.#expected === demanded ? 'trailing-comma' : 'unexpected';
  }

  #name(character: string): Expected {
    if (character !== '"') throw this.#fault(unquoted(character, 'unquoted-name'));
    const { value: name, end } = stringAt(this.#text, this.#at);
    const frame = this.#frames.at(-1);
    if (frame?.names?.has(name)) this.#noteDuplicate(name);
    frame?.names?.add(name);
    this.#at = end;
    if (frame !== undefined) frame.name = name;
    return 'colon';
  }

  #noteDuplicate(name: string): void {
    const isOuter = this.#frames.length <= 2;
    if (this.duplicateNames.length === maxDuplicates && !isOuter) return;
    const outer = this.#frames.slice(0, -1).map((frame) => frame.name || '[]');
    const path = [...outer, name].join('.');
    if (isOuter) this.outerDuplicates.add(path);
    if (this.duplicateNames.length === maxDuplicates) return;
    if (!this.duplicateNames.includes(path)) this.duplicateNames.push(path);
  }

  #comma(character: string): Expected {
    if (character === '/') throw this.#fault('comment');
    const isArray = this.#frames.at(-1)?.names === undefined;
    return this.#punctuation(character, ',', isArray ? 'value' : 'name');
  }

  #punctuation(character: string, wanted: string, next: Expected): Expected {
    if (character !== wanted) throw this.#fault('unexpected');
    this.#at += 1;
    return next;
  }

  #afterValue(): Expected {
    return this.#frames.length === 0 ? 'end' : 'comma-or-end';
  }

  #fault(reason: JsonSyntaxFault): JsonFault {
    return new JsonFault(reason, this.#at);
  }
}

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
class JsonFault extends Error {
  readonly reason: JsonSyntaxFault;
  readonly offset: number;

  constructor(reason: JsonSyntaxFault, offset: number) {
    super(reason);
    this.reason = reason;
    this.offset = offset;
  }
}

/** RFC 8259 section 2: nothing else. */
const whiteSpace = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /[\p{L}_$][\p{L}\p{N}_$]{0,63}/uy;
const literals = ['true', 'false', 'null'];

function endOfScalar(text: string, at: number): number {
  const character = text[at] ?? '';
  if (character === '"') return stringAt(text, at).end;
  return character === '-' || isDigit(character) ? endOfNumber(text, at) : endOfLiteral(text, at);
}

const plainCharacters = /[^"\\\p{Cc}]*/uy;

function stringAt(text: string, start: number): { value: string; end: number } {
  let at = start + 1;
  let escaped = false;
  for (;;) {
    at = endOf(plainCharacters, text, at);
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

function unquoted(character: string, otherwise: JsonSyntaxFault): JsonSyntaxFault {
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

/** Where the characters of `run` end, which may be none. */
function endOf(run: RegExp, text: string, at: number): number {
  run.lastIndex = at;
  return run.test(text) ? run.lastIndex : at;
}

function match(token: RegExp, text: string, at: number): string | undefined {
  token.lastIndex = at;
  return token.exec(text)?.[0];
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}
