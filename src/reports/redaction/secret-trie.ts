/** Bits of the filter for each pattern: a look-up that finds nothing says so 15 times in 16. */
const bitsEach = 16;

interface Node {
  next: Map<number, Node> | undefined;
  /** What follows the node in the only pattern below it. */
  tail: string | undefined;
  ends: boolean;
}

/**
 * Patterns of at least four UTF-16 code units, found in one pass over a text. It grows with every
 * pattern that is added; nothing is built anew.
 */
export class SecretTrie {
  readonly #root: Node = { next: new Map(), tail: undefined, ends: false };
  /** Hashes of the first characters of all patterns: most positions of a text are ruled out by one look-up. */
  #filter = new Uint32Array(64);
  #filterBits = 11;
  readonly #grams: number[] = [];
  /** Of the last {@link longestAt}: where the text left the patterns. */
  reached = 0;

  /** How many patterns were added. */
  get size(): number {
    return this.#grams.length;
  }

  add(pattern: string): void {
    this.#grams.push(gramAt(pattern, 0));
    if (this.size * bitsEach > 1 << this.#filterBits) this.#widen();
    else this.#mark(gramAt(pattern, 0));
    let node = this.#root;
    for (let at = 0; ; at += 1) {
      if (node.tail !== undefined) split(node);
      if (at === pattern.length) {
        node.ends = true;
        return;
      }
      const code = pattern.charCodeAt(at);
      node.next ??= new Map();
      const child = node.next.get(code);
      if (child === undefined) {
        node.next.set(code, { next: undefined, tail: pattern.slice(at + 1), ends: false });
        return;
      }
      node = child;
    }
  }

  #mark(gram: number): void {
    const bit = gram >>> (32 - this.#filterBits);
    this.#filter[bit >>> 5] = (this.#filter[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }

  #widen(): void {
    this.#filterBits += 2;
    this.#filter = new Uint32Array(1 << (this.#filterBits - 5));
    for (const gram of this.#grams) this.#mark(gram);
  }

  /** Whether a pattern may begin at `at`. */
  mayBeginAt(text: string, at: number): boolean {
    const bit = gramAt(text, at) >>> (32 - this.#filterBits);
    return ((this.#filter[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
  }

  /** The end of the longest pattern at `at`, or -1; sets {@link reached}. */
  longestAt(text: string, at: number): number {
    let node: Node | undefined = this.#root;
    let end = -1;
    let position = at;
    for (;;) {
      if (node.tail !== undefined) {
        const length = commonLength(node.tail, text, position);
        this.reached = position + length;
        return length === node.tail.length ? this.reached : end;
      }
      if (node.ends) end = position;
      node = position < text.length ? node.next?.get(text.charCodeAt(position)) : undefined;
      if (node === undefined) {
        this.reached = position;
        return end;
      }
      position += 1;
    }
  }
}

/** Moves the tail of a leaf into a child, so that patterns can branch off. */
function split(leaf: Node): void {
  const tail = leaf.tail ?? '';
  leaf.tail = undefined;
  if (tail === '') leaf.ends = true;
  else
    leaf.next = new Map([
      [tail.charCodeAt(0), { next: undefined, tail: tail.slice(1), ends: false }],
    ]);
}

/** A hash of four code units, whose upper bits are the best. */
function gramAt(text: string, at: number): number {
  const low = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
  const high = text.charCodeAt(at + 2) | (text.charCodeAt(at + 3) << 16);
  return Math.imul(Math.imul(low, 0x85ebca6b) ^ high, 0x9e3779b1) >>> 0;
}

function commonLength(tail: string, text: string, from: number): number {
  let length = 0;
  while (length < tail.length && text.charCodeAt(from + length) === tail.charCodeAt(length))
    length += 1;
  return length;
}
