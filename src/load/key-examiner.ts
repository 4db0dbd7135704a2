import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { diagnoseWrappedKey } from '../diagnosis/wrapped-key.ts';
import type { Diagnosis } from '../errors.ts';
import type { KeyMemory } from './key-memory.ts';

/** A key that came, and what it came in. */
export interface ReceivedKey {
  readonly wrapped: string;
  readonly key: string;
  readonly ptnCd: string;
  readonly pair: RsaPrivateKey;
}

/** What was found out about a key whose form is right. */
export interface KeyExamination {
  /** Set where another user has the same key. */
  readonly repeated?: Diagnosis;
  /** What makes it weak; absent where it was not looked for. */
  readonly weaknesses?: readonly Diagnosis[];
}

/**
 * So many keys are examined thoroughly, and from then on one in ten thousand: that a key is made of
 * the user code, of the time or of too few characters takes some milliseconds to see, ten times as
 * much as all the rest of a sign-up, and an application that does so does it always.
 */
const examinedFirst = 10;
const examinedOneIn = 10_000;

interface ExaminerEnvironment {
  readonly now: () => number;
  readonly keys: KeyMemory;
}

/** Compares every key with those of other users, and looks at some as closely as at a single one. */
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

  examine(received: ReceivedKey): KeyExamination {
    const { key } = received;
    this.#first ??= key;
    this.#allAlike &&= key === this.#first;
    const isKnown = this.#environment.keys.meet(key);
    const isExamined = this.#count < examinedFirst || this.#count % examinedOneIn === 0;
    const alike = this.#allAlike ? Math.min(this.#count, 2) : 1;
    this.#count += 1;
    if (!isKnown && !isExamined) return {};
    const weaknesses = this.#diagnose(received, isKnown ? Math.max(alike, 1) : 0);
    const repeated = isKnown ? weaknesses.find(({ code }) => repetitions.has(code)) : undefined;
    if (repeated === undefined) return { weaknesses };
    return { repeated, ...(isExamined && { weaknesses: [] }) };
  }

  /** What a single sign-up would say, had the same key come so often before. */
  #diagnose({ wrapped, key, ptnCd, pair }: ReceivedKey, before: number): readonly Diagnosis[] {
    return diagnoseWrappedKey(wrapped, {
      privateKey: pair,
      ptnCd,
      clientId: this.#clientId,
      now: this.#environment.now(),
      earlierKeys: Array.from({ length: before }, () => key),
    }).diagnoses;
  }
}

const repetitions: ReadonlySet<string> = new Set(['key-repeated', 'key-constant']);
