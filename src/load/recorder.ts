import type { Diagnosis } from '../errors.ts';
import type { Report } from './job.ts';
import type { Attempted, LoadedUser } from './scenario.ts';
import type { Tally } from './tally.ts';

/** Counts what became of sign-ups, and reports examples of failures. */
export class Recorder {
  readonly #tally: Tally;
  readonly #report: (report: Report) => void;
  readonly #reported = new Set<string>();
  /** Only if they are to be saved: everything else of a run has a fixed size. */
  readonly users: LoadedUser[] | undefined;

  constructor(tally: Tally, report: (report: Report) => void, savesUsers: boolean) {
    this.#tally = tally;
    this.#report = report;
    this.users = savesUsers ? [] : undefined;
  }

  /**
   * Counts one that has ended.
   * @param latencyMs from its intended start
   */
  record(attempted: Attempted, latencyMs: number, endedAt: number): void {
    const tally = this.#tally;
    const { ok, diagnosis, user, weaknesses, stepsMs, responded, secrets = [] } = attempted;
    tally.add(ok ? 'succeeded' : 'failed');
    tally.set('lastEnd', endedAt);
    if (responded) tally.add('responded');
    if (weaknesses !== undefined) this.#weaknesses(weaknesses, secrets);
    if (diagnosis !== undefined) {
      tally.addError(diagnosis.code);
      this.#reportExample(diagnosis, secrets);
    }
    if (ok && user !== undefined) this.users?.push(user);
    // Of failures only a time-out shows how long users wait; without it latencies would look better.
    if (!ok && diagnosis?.code !== 'timeout') return;
    tally.addLatency(latencyMs);
    tally.whole.record(latencyMs);
    stepsMs.forEach((ms, index) => {
      tally.steps[index]?.record(ms);
    });
  }

  #weaknesses(weaknesses: readonly Diagnosis[], secrets: readonly string[]): void {
    this.#tally.add('examinedKeys');
    for (const weakness of weaknesses) {
      this.#tally.addWeakness(weakness.code);
      this.#reportExample(weakness, secrets);
    }
  }

  #reportExample(diagnosis: Diagnosis, secrets: readonly string[]): void {
    if (this.#reported.has(diagnosis.code)) return;
    this.#reported.add(diagnosis.code);
    this.#report({ type: 'example', diagnosis, secrets });
  }
}
