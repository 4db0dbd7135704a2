/** The deepest nesting that is read; readers in use stop between 64 (.NET) and 1,000 (Jackson). */
export const maxJsonDepth = 1000;

export type JsonSyntaxFault =
  | 'truncated'
  | 'trailing-text'
  | 'single-quotes'
  | 'literal'
  | 'leading-zero'
  | 'control-character'
  | 'too-deep'
  | 'unexpected';

/** What a scan found: nothing wrong, or the first fault and its offset (in UTF-16 code units). */
interface JsonScan {
  readonly fault?: { readonly reason: JsonSyntaxFault; readonly offset: number };
  /** Names that occur more than once in the object at the top, or in one that it contains, with their path. */
  readonly duplicateNames: ReadonlySet<string>;
}

/**
 * Walks a text by the grammar of RFC 8259, without recursion and in one pass. The platform's parser decides whether it is
 * JSON; this scan explains its refusal in words that don't change with the platform, and sees repeated names.
 */
export function scanJson(text: string): JsonScan {
  const duplicateNames = new Set<string>();
  try {
    walk(text, duplicateNames);
    return { duplicateNames };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { reason, offset } = error;
    return { fault: { reason, offset }, duplicateNames };
  }
}

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

/** An array or object that has begun. */
interface Frame {
  /** Undefined for an array. */
  readonly names: Set<string> | undefined;
  /** The latest. */
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

/** Each round reads one token; what may come next follows from it, and from what it is in. */
function walk(text: string, duplicateNames: Set<string>): void {
  const frames: Frame[] = [];
  let expected: Expected = 'value';
  let at = endOf(whiteSpace, text, 0);
  for (; at < text.length; at = endOf(whiteSpace, text, at)) {
    const character = text[at] ?? '';
    const frame = frames.at(-1);
    if (expected === 'end') throw new JsonFault('trailing-text', at);
    if (expected.endsWith('or-end') && character === (frame?.names ? '}' : ']')) {
      frames.pop();
      at += 1;
      expected = frames.length === 0 ? 'end' : 'comma-or-end';
    } else if (expected === 'colon' || expected === 'comma-or-end') {
      if (character !== (expected === 'colon' ? ':' : ',')) throw new JsonFault('unexpected', at);
      at += 1;
      expected = expected === 'colon' || frame?.names === undefined ? 'value' : 'name';
    } else if (expected === 'name' || expected === 'name-or-end') {
      if (character !== '"') throw strange(character, at);
      const end = endOfString(text, at);
      noteName(frames, JSON.parse(text.slice(at, end)), duplicateNames);
      at = end;
      expected = 'colon';
    } else if (character === '{' || character === '[') {
      if (frames.length === maxJsonDepth) throw new JsonFault('too-deep', at);
      frames.push({ names: character === '{' ? new Set() : undefined, name: '' });
      at += 1;
      expected = character === '{' ? 'name-or-end' : 'value-or-end';
    } else {
      at = character === '"' ? endOfString(text, at) : endOfScalar(text, at);
      expected = frames.length === 0 ? 'end' : 'comma-or-end';
    }
  }
  if (expected !== 'end') throw new JsonFault('truncated', at);
}

function noteName(frames: readonly Frame[], name: string, duplicateNames: Set<string>): void {
  const frame = frames.at(-1);
  if (frame?.names === undefined) return;
  if (frame.names.has(name) && frames.length <= 2) {
    const outer = frames.slice(0, -1).map((each) => each.name || '[]');
    duplicateNames.add([...outer, name].join('.'));
  }
  frame.names.add(name);
  frame.name = name;
}

/** RFC 8259 section 2: nothing else. */
const whiteSpace = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /[\p{L}_$][\p{L}\p{N}_$]{0,63}/uy;
const literals = ['true', 'false', 'null'];
const plainCharacters = /[^"\\\p{Cc}]*/uy;

function endOfScalar(text: string, start: number): number {
  const end = endOf(number, text, start);
  if (end > start) {
    if (/\d/.test(text[end] ?? '')) throw new JsonFault('leading-zero', start);
    return end;
  }
  const wordEnd = endOf(word, text, start);
  const token = text.slice(start, wordEnd);
  if (literals.includes(token)) return wordEnd;
  if (token === '') throw strange(text[start] ?? '', start);
  const isCut = wordEnd === text.length && literals.some((literal) => literal.startsWith(token));
  throw new JsonFault(isCut ? 'truncated' : 'literal', start);
}

function strange(character: string, at: number): JsonFault {
  return new JsonFault(character === "'" ? 'single-quotes' : 'unexpected', at);
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    at = endOf(plainCharacters, text, at);
    const unit = text.charCodeAt(at);
    if (Number.isNaN(unit)) throw new JsonFault('truncated', at);
    if (unit < 0x20) throw new JsonFault('control-character', at);
    if (unit === 0x22) return at + 1;
    at += unit === 0x5c ? escapeLength(text, at) : 1;
  }
}

function escapeLength(text: string, at: number): number {
  const rest = text.slice(at, at + 6);
  const whole = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(rest)?.[0];
  if (whole !== undefined) return whole.length;
  const isCut = rest.length < 6 && /^\\(?:u[0-9a-fA-F]*)?$/.test(rest);
  throw new JsonFault(isCut ? 'truncated' : 'unexpected', at);
}

/** Where the characters of `run` end, which may be none. */
function endOf(run: RegExp, text: string, at: number): number {
  run.lastIndex = at;
  return run.test(text) ? run.lastIndex : at;
}
