import type { Observation } from '../../monitor/changes.ts';
import type { RunStatus } from '../../reports/run-line.ts';
import type { VerifyDocument } from '../../reports/verify-document.ts';
import { counted } from '../../text.ts';
import { confirmation, type Outcome } from '../command.ts';
import { exitStatus, exitStatusOf } from '../exit-status.ts';
import type { Failure } from '../failure.ts';

type Counted = Exclude<RunStatus, 'interrupted'>;

/** The status of several runs: that of the first of these that one of them had. */
const worstFirst: readonly number[] = [
  exitStatus.bug,
  exitStatus.usage,
  exitStatus.localState,
  exitStatus.negative,
  exitStatus.unreachable,
];

/** How the runs ended so far. */
export class RunTally {
  #runs = 0;
  #skipped = 0;
  readonly #counts = { passed: 0, failed: 0, unreachable: 0, error: 0 };
  #worst: Failure | undefined;

  /** How many have begun. */
  get runs(): number {
    return this.#runs;
  }

  begin(): void {
    this.#runs += 1;
  }

  add(status: Counted, failure: Failure | undefined): void {
    this.#counts[status] += 1;
    if (failure === undefined) return;
    if (this.#worst === undefined || rankOf(failure) < rankOf(this.#worst)) this.#worst = failure;
  }

  skip(runs: number): void {
    this.#skipped += runs;
  }

  fields() {
    return { runs: this.#runs, ...this.#counts, skipped: this.#skipped };
  }

  /** The exit status is that of the worst run. */
  outcome(): Outcome {
    const { passed, failed, unreachable, error } = this.#counts;
    const parts = [
      [passed, 'passed'],
      [failed, 'failed'],
      [unreachable, 'unreachable'],
      [error, 'could not be made'],
      [this.#skipped, 'left out'],
    ] as const;
    const shown = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
    const text = `${counted(this.#runs, 'run')}: ${shown.join(', ')}.`;
    const worst = this.#worst;
    const lines = [confirmation(text)];
    if (worst === undefined) return { fields: {}, lines };
    const { code, message, hint } = worst;
    const failure: Failure = {
      code,
      message: `${text} The worst: ${message}`,
      hint,
      exitStatus: statusOf(worst),
    };
    return { fields: {}, lines: [], failure };
  }
}

function statusOf({ exitStatus: own, code }: Failure): number {
  return own ?? exitStatusOf(code);
}

function rankOf(failure: Failure): number {
  const rank = worstFirst.indexOf(statusOf(failure));
  return rank === -1 ? worstFirst.length : rank;
}

/** What a report says that is compared with other runs. */
export function observationOf(document: VerifyDocument): Observation {
  const { started_at: at, unreachable, checks, certificate } = document;
  return { at: Date.parse(at), unreachable: unreachable?.code, checks, certificate };
}
