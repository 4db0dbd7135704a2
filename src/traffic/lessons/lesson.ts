import type { CapturedExchange } from '../capture.ts';

/** One thing that traffic shows about how the two sides work. */
export interface Lesson {
  /** The name of a setting of the profile, or of what was seen, such as `token-ttl`. */
  readonly setting: string;
  /** Absent if the traffic doesn't show it. */
  readonly value?: string;
  /** `certain` only if nothing else fits what was seen. */
  readonly confidence: 'certain' | 'likely' | 'unknown';
  /** How it is known, and from which exchanges; or what is missing, as a sentence. */
  readonly evidence: string;
  /** Other values that fit as well. */
  readonly alternatives?: readonly string[];
  /** It rests on an assumption: it is not suggested as a setting. */
  readonly isAssumed?: true;
  /** Only what messages look like: there is nothing to set. */
  readonly isOfWire?: true;
}

/** Learns one or several things from exchanges, in constant memory. */
export interface Lessons {
  observe(exchange: CapturedExchange): void;
  /** What is known so far; empty if no exchange was about it. */
  read(): readonly Lesson[];
}

/** Where something was seen: the first three places, and how many more. */
export class Places {
  readonly #first: string[] = [];
  #last: string | undefined;
  #count = 0;

  /** The same place twice in a row counts once. */
  add(source: string): void {
    if (source === this.#last) return;
    this.#last = source;
    this.#count += 1;
    if (this.#first.length < 3) this.#first.push(source);
  }

  get count(): number {
    return this.#count;
  }

  toString(): string {
    const more = this.#count - this.#first.length;
    return more === 0 ? this.#first.join(', ') : `${this.#first.join(', ')} and ${more} more`;
  }
}
