import { checks } from '../conformance/catalogue.ts';
import type { Fault } from '../conformance/check.ts';
import { keyIsRandom, patternFault } from '../conformance/checks/key-exchange/key-is-random.ts';
import { findPattern, findResemblance } from '../conformance/keys.ts';
import { type RecordedExchange, RunRecord } from '../conformance/result.ts';
import { findWeakness } from '../diagnosis/per-user-key.ts';
import type { Diagnosis } from '../errors.ts';
import { reviewed, type Verdict } from './exchange-review.ts';

type KeyExchange = RunRecord['keyExchanges'][number];

/**
 * How many keys are examined for what they may be derived from, such as the user code or the time;
 * that takes up to 50 ms. The others are examined for low entropy, and beside the keys before them.
 */
export interface ExaminedKeys {
  readonly atOnce: number;
  /** How many more with each second of the traffic. */
  readonly perSecond: number;
}

/** Keys that are compared with each other; a pool of up to 16 shows in 17 for certain. */
const comparedKeys = 17;

/** The checks that compare keys. */
export const keyRelations = ['key-per-user', 'new-key-each-time', 'key-is-random'].map(
  (name) => `key-exchange/${name}`,
);
const relations = checks.filter(({ id }) => keyRelations.includes(id));

/** Judges the keys that an application draws, of however many users, beside the latest ones. */
export class DrawnKeys {
  readonly #limit: ExaminedKeys;
  latest: readonly KeyExchange[] = [];
  /** How many more keys may be examined. */
  #budget: number;
  #lastAt: number | undefined;
  /** The latest key resembles others: that is reported. */
  #isAlike = false;

  constructor(limit: ExaminedKeys) {
    this.#limit = limit;
    this.#budget = limit.atOnce;
  }

  /** What is wrong with a key, by itself and beside earlier ones; each relation is reported where it begins. */
  add(drawn: KeyExchange, clientId: string): Verdict[] {
    const { key } = drawn.outcome;
    if (key === undefined) return [];
    const before = runOf(this.latest);
    this.latest = [...this.latest, drawn].slice(-comparedKeys);
    const record = runOf(this.latest);
    const isRepeated = before.keys.some((earlier) => earlier.key === key.reveal());
    return relations.flatMap((check) => {
      if (check.id === keyIsRandom.id) {
        const fault = this.#pattern(drawn, record, clientId);
        return fault === undefined ? [] : [{ check, fault }];
      }
      const isNew = isRepeated || reviewed(check, before, clientId).length === 0;
      return isNew ? reviewed(check, record, clientId) : [];
    });
  }

  #pattern(drawn: KeyExchange, { keys }: RunRecord, clientId: string): Fault | undefined {
    const byItself = this.#examine(drawn, clientId);
    const alike = byItself ?? findResemblance(keys.map(({ key }) => key));
    const isKnown = byItself === undefined && this.#isAlike;
    this.#isAlike = alike !== undefined;
    if (alike === undefined || isKnown) return undefined;
    return patternFault(alike, byItself ? 1 : keys.length, drawn.outcome.exchange);
  }

  #examine(drawn: KeyExchange, clientId: string): Diagnosis | undefined {
    return this.#isDue(drawn.outcome.exchange.startedAt)
      ? findPattern(runOf([drawn]).keys, clientId)
      : findWeakness(drawn.outcome.key?.reveal() ?? '');
  }

  #isDue(at: number): boolean {
    const { atOnce, perSecond } = this.#limit;
    const seconds = Math.max(0, at - (this.#lastAt ?? at)) / 1000;
    this.#lastAt = at;
    this.#budget = Math.min(atOnce, this.#budget + perSecond * seconds);
    if (this.#budget < 1) return false;
    this.#budget -= 1;
    return true;
  }
}

/** A run in which only these took place. */
export function runOf(
  keyExchanges: readonly KeyExchange[],
  ...exchanges: readonly RecordedExchange[]
): RunRecord {
  const record = new RunRecord();
  record.keyExchanges.push(...keyExchanges);
  record.exchanges.push(...exchanges);
  return record;
}
