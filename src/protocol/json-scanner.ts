import { endOfScalar, JsonFault, type JsonSyntaxFault, stringAt, unquoted } from './json-tokens.ts';

export type { JsonSyntaxFault } from './json-tokens.ts';

/** The deepest nesting that is read; readers in use stop between 64 (.NET) and 1,000 (Jackson). */
export const maxJsonDepth = 1000;

/** What a scan found: nothing wrong, or the first fault and where it stands (in UTF-16 code units). */
export interface JsonScan {
  readonly fault?: { readonly reason: JsonSyntaxFault; readonly offset: number };
  /** Names that stand more than once in one object, with the path of that object, at most ten. */
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
 * Walks a text by the grammar of RFC 8259, without recursion and in one pass, and says where and
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

/** Each step reads one token and says what may come next. */
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
      this.#skipWhiteSpace();
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
    if (this.#expected === 'colon') return this.#colon(character);
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

  #colon(character: string): Expected {
    if (character !== ':') throw this.#fault('unexpected');
    this.#at += 1;
    return 'value';
  }

  #comma(character: string): Expected {
    if (character !== ',') throw this.#fault(character === '/' ? 'comment' : 'unexpected');
    this.#at += 1;
    return this.#frames.at(-1)?.names === undefined ? 'value' : 'name';
  }

  #afterValue(): Expected {
    return this.#frames.length === 0 ? 'end' : 'comma-or-end';
  }

  #skipWhiteSpace(): void {
    while (isWhiteSpace(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }

  #fault(reason: JsonSyntaxFault): JsonFault {
    return new JsonFault(reason, this.#at);
  }
}

/** RFC 8259 section 2: space, tab, line feed and carriage return, nothing else. */
function isWhiteSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}
