import type { Diagnosis } from '../errors.ts';
import type { Report } from './job.ts';
import type { Attempted, LoadedUser } from './scenario.ts';
import type { Tally } from './tally.ts';

/** Counts what became of sign-ups, and reports what numbers don't tell. */
export class Recorder {
  readonly #tally: Tally;
  readonly #report: (report: Report) => void;
  readonly #told = new Set<string>();
  /** Kept only where they are to be saved: the rest of a run has the same size however long it is. */
  readonly users: LoadedUser[] | undefined;

  constructor(tally: Tally, report: (report: Report) => void, savesUsers: boolean) {
    this.#tally = tally;
    this.#report = report;
    this.users = savesUsers ? [] : undefined;
  }

  /**
   * Counts one that has ended.
   * @param latencyMs from when it was meant to begin
   */
  record(attempted: Attempted, latencyMs: number, endedAt: number): void {
    const tally = this.#tally;
    const { ok, diagnosis, user, weaknesses, stepsMs, answered, secrets = [] } = attempted;
    tally.add(ok ? 'succeeded' : 'failed');
    tally.set('lastEnd', endedAt);
    if (answered) tally.add('answered');
    if (weaknesses !== undefined) this.#weaknesses(weaknesses, secrets);
    if (diagnosis !== undefined) {
      tally.addError(diagnosis.code);
      this.#tell(diagnosis, secrets);
    }
    if (ok && user !== undefined) this.users?.push(user);
    // Of failures a time-out alone says how long users wait: to leave it out would flatter.
    if (!ok && diagnosis?.code !== 'timeout') return;
    tally.addLatency(latencyMs);
    tally.whole.record(latencyMs);
    stepsMs.forEach((ms, index) => {
      tally.steps[index]?.record(ms);
    });
  }

  /** Counts one of the warm-up. */
  recordWarmUp({ ok, diagnosis, secrets = [] }: Attempted): void {
    this.#tally.add('warmedUp');
    if (ok) return;
    this.#tally.add('warmUpFailed');
    if (diagnosis !== undefined) this.#tell(diagnosis, secrets);
  }

  #weaknesses(weaknesses: readonly Diagnosis[], secrets: readonly string[]): void {
    this.#tally.add('examinedKeys');
    for (const weakness of weaknesses) {
      this.#tally.addWeakness(weakness.code);
      this.#tell(weakness, secrets);
    }
  }

  #tell({ code, message, hint }: Diagnosis, secrets: readonly string[]): void {
    if (this.#told.has(code)) return;
    this.#told.add(code);
    this.#report({ type: 'example', code, message, hint, secrets });
  }
}
