/** A JSON object in a log, as its text, and the line on which it begins. */
export interface FoundObject {
  readonly text: string;
  readonly line: number;
  /** What is in front of it on this line. */
  readonly prefix: string;
  /** Its end is missing: the text is what is left of it without the objects that were closed in it. */
  readonly isCut?: true;
}

/** An object that is longer isn't a body: its inner objects are taken by themselves. */
const longestRegion = 4 * 1024 * 1024;

/** What may be on a further line of a JSON text that is printed over several. */
const continuation = /^\s*(?:["}\]{[]|-?\d[\d.eE+-]*\s*[,\]}]?\s*$|(?:true|false|null)\b|$)/;

/** Whether a line may belong to an object that is open and whose text so far ends with `before`. */
export function continues(line: string, before: string): boolean {
  if (!continuation.test(line)) return false;
  return !/^\s*\{/.test(line) || /[[{,:]\s*$/.test(before.slice(-64));
}

interface Closed {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds JSON objects in lines of text: behind prefixes, several on a line, one over several lines.
 * Each character is read once, and only the open object is buffered.
 */
export class JsonRegions {
  readonly #found: FoundObject[] = [];
  #text = '';
  #lineStarts: { readonly offset: number; readonly line: number }[] = [];
  #open: number[] = [];
  #closed: Closed[] = [];

  /** Whether an object has begun and not ended. */
  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** Takes the next line; returns the objects that ended with it. */
  add(line: string, number: number): readonly FoundObject[] {
    if (this.#open.length > 0 && !this.#continues(line)) this.#give();
    if (this.#open.length === 0) this.#reset();
    if (this.#open.length > 0 || line.includes('{')) {
      const from = this.#text.length;
      this.#lineStarts.push({ offset: from, line: number });
      this.#text += `${line}\n`;
      this.#scan(from);
    }
    return this.#found.splice(0);
  }

  /** The end of the text: what was closed within an object that never is. */
  end(): readonly FoundObject[] {
    this.#give();
    this.#reset();
    return this.#found.splice(0);
  }

  #continues(line: string): boolean {
    return this.#text.length + line.length <= longestRegion && continues(line, this.#text);
  }

  #scan(from: number): void {
    const text = this.#text;
    let inString = false;
    // outside of an object nothing but the start of one matters
    const start = this.#open.length > 0 ? from : text.indexOf('{', from);
    for (let at = start; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (inString) {
        if (unit === 0x5c) at += 1;
        else if (unit === 0x22) inString = false;
      } else if (unit === 0x7b) this.#open.push(at);
      else if (unit === 0x22) inString = this.#open.length > 0;
      else if (unit === 0x7d) this.#close(at + 1);
    }
    if (this.#open.length === 0) this.#give();
  }

  #close(end: number): void {
    const start = this.#open.pop();
    if (start === undefined) return;
    while ((this.#closed.at(-1)?.start ?? -1) > start) this.#closed.pop();
    this.#closed.push({ start, end });
  }

  /** Gives out the outermost objects that are closed, and what is open without them. */
  #give(): void {
    const [open] = this.#open;
    for (const { start, end } of this.#closed) this.#find(start, this.#text.slice(start, end));
    if (open !== undefined) {
      const inner = this.#closed.filter(({ start }) => start > open);
      const ends = [open, ...inner.map(({ end }) => end)];
      const starts = [...inner.map(({ start }) => start), this.#text.length];
      const rest = ends.map((end, index) => this.#text.slice(end, starts[index])).join('');
      this.#find(open, rest, { isCut: true });
    }
    this.#open = [];
    this.#closed = [];
  }

  #find(start: number, text: string, cut?: { readonly isCut: true }): void {
    const { offset = 0, line = 1 } =
      this.#lineStarts.findLast((each) => each.offset <= start) ?? {};
    this.#found.push({ text, line, prefix: this.#text.slice(offset, start), ...cut });
  }

  #reset(): void {
    this.#text = '';
    this.#lineStarts = [];
    this.#closed = [];
  }
}
