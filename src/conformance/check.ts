import type { CheckContext } from './context.ts';
import type { Passed } from './verdict.ts';

/** `must` is what the interface states, `should` what it leaves open and users would expect. */
export type Level = 'must' | 'should';

/** Whether a check sends what is right, or something wrong on purpose that has to be refused. */
export type Polarity = 'positive' | 'negative';

/**
 * When a check runs. Wrong requests may harm an application, and requests of many users at once
 * may mix them up; each stage begins when the one before it is over.
 *
 * - `foundation`: right requests, one check after another
 * - `right-requests`: side by side, once the foundation has shown that this mixes nobody up
 * - `wrong-requests`: the same, with wrong requests
 * - `aftermath`: whether the application still works
 * - `review`: judges what came before
 */
export const stages = [
  'foundation',
  'right-requests',
  'wrong-requests',
  'aftermath',
  'review',
] as const;

export type Stage = (typeof stages)[number];

/** What a check can find out for others beside its verdict; see `providers` in catalogue.ts. */
export type Capability = 'readable-key' | 'usable-key';

/** What is known of a check without running it. */
export interface CheckFacts {
  /** `GROUP/NAME`, words; the file of the check has the same name. */
  readonly id: string;
  /** What holds when it passes, in one line without a full stop. */
  readonly title: string;
  /** The section of the interface: "4.1.1". */
  readonly section: string;
  /** The sentence that it rests on. */
  readonly sentence: string;
  readonly level: Level;
  readonly polarity: Polarity;
}

/** One thing that an application must or should do, and how it is found out. */
export interface Check extends CheckFacts {
  readonly stage: Stage;
  /** Ids of the checks that must have passed in the same run (its positive controls), and capabilities. */
  readonly needs: readonly string[];
  /** How many users it signs up; 1 unless told. `concurrent` is the number that the run is set to. */
  readonly users?: number | 'concurrent';
  /** It runs beside others like it, whatever is known of the application: they share nothing. */
  readonly isIndependent?: boolean;
  /** Where not so many codes are given, it makes do with those that are. */
  readonly fewerWillDo?: boolean;
  /**
   * Sends what it takes and returns if the application is right; otherwise the helpers of
   * expect.ts throw the verdict.
   */
  readonly run: (context: CheckContext) => Promise<Passed | undefined>;
}
