import { encodeUtf8 } from '../bytes.ts';
import { diagnosePerUserKey } from '../diagnosis/per-user-key.ts';
import type { Diagnosis } from '../errors.ts';

/** What was found out about a key whose form is right. */
export interface KeyExamination {
  /** Set if another user has the same key. */
  readonly repeated?: Diagnosis;
  /** What makes it weak; absent if it was not examined. */
  readonly weaknesses?: readonly Diagnosis[];
}

/**
 * The first keys are examined thoroughly, then a sample. To find a key derived from the user code or
 * the time, or of too few characters, takes ten times as long as a sign-up, and an application that
 * makes such keys makes them always.
 */
const examinedFirst = 10;
const examinedOneIn = 10_000;

interface ExaminerEnvironment {
  readonly now: () => number;
  readonly keys: KeyMemory;
}

/** Compares every key with those of other users, and examines a sample as thoroughly as a single one. */
export class KeyExaminer {
  readonly #clientId: string;
  readonly #environment: ExaminerEnvironment;
  #count = 0;
  #first: string | undefined;
  #allAlike = true;

  constructor(clientId: string, environment: ExaminerEnvironment) {
    this.#clientId = clientId;
    this.#environment = environment;
  }

  examine(key: string, ptnCd: string): KeyExamination {
    this.#first ??= key;
    this.#allAlike &&= key === this.#first;
    const isKnown = this.#environment.keys.remember(key);
    const isExamined = this.#count < examinedFirst || this.#count % examinedOneIn === 0;
    const alike = this.#allAlike ? Math.min(this.#count, 2) : 1;
    this.#count += 1;
    if (!isKnown && !isExamined) return {};
    const weaknesses = this.#diagnose(key, ptnCd, isKnown ? Math.max(alike, 1) : 0);
    const repeated = isKnown ? weaknesses.find(({ code }) => repetitions.has(code)) : undefined;
    if (repeated === undefined) return { weaknesses };
    return { repeated, ...(isExamined && { weaknesses: [] }) };
  }

  /** What a single sign-up would report, had the same key come `before` times. */
  #diagnose(key: string, ptnCd: string, before: number): readonly Diagnosis[] {
    return diagnosePerUserKey(encodeUtf8(key), {
      ptnCd,
      clientId: this.#clientId,
      now: this.#environment.now(),
      earlierKeys: Array.from({ length: before }, () => key),
    }).diagnoses;
  }
}

const repetitions: ReadonlySet<string> = new Set(['key-repeated', 'key-constant']);

/** Places of one set, and of the whole table: enough for a million users. */
const ways = 4;
const places = 1 << 21;

/**
 * Remembers the per-user keys of a run, whatever its length, in 16 MiB that all threads share: 64
 * bits of each key, in a table of sets of four places. A full set forgets its oldest key, so some 97
 * in 100 of the latest million keys are known, and the latest for certain. Two different keys count
 * as the same once in 2^64 pairs: with a million users, once in 37 million runs. The bits are not a
 * secure digest; they stay in memory, beside the keys themselves.
 */
export class KeyMemory {
  /** Two words per place. */
  readonly #words: Uint32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Uint32Array(memory);
  }

  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(places * 2 * Uint32Array.BYTES_PER_ELEMENT);
  }

  /** Remembers a key; returns whether it was known. */
  remember(key: string): boolean {
    const words = this.#words;
    const low = mix(key, 0x9747b28c) | 1; // never 0, as in an empty place
    const high = mix(key, 0x3c6ef372);
    const first = (mix(key, 0x1b873593) & (places / ways - 1)) * ways * 2;
    const end = first + ways * 2;
    for (let at = first; at < end; at += 2) {
      if (words[at] === low >>> 0 && words[at + 1] === high >>> 0) return true;
    }
    words.copyWithin(first + 2, first, end - 2);
    words[first] = low;
    words[first + 1] = high;
    return false;
  }
}

/** 32 bits of a text: MurmurHash3 over its code units. */
function mix(text: string, seed: number): number {
  let bits = seed;
  for (let index = 0; index < text.length; index += 1) {
    const unit = Math.imul(text.charCodeAt(index), 0xcc9e2d51);
    bits ^= Math.imul((unit << 15) | (unit >>> 17), 0x1b873593);
    bits = Math.imul((bits << 13) | (bits >>> 19), 5) + 0xe6546b64;
  }
  bits = Math.imul(bits ^ text.length ^ ((bits ^ text.length) >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
