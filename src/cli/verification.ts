import {
  type BaselineJudgement,
  judgeBaseline,
  type KnownFailure,
} from '../conformance/baseline.ts';
import type { Check } from '../conformance/check.ts';
import type { RunResult } from '../conformance/result.ts';
import type { Run } from '../conformance/runner.ts';
import { waitForAnswer } from '../conformance/wait.ts';
import { spanText } from '../reports/tally.ts';
import { toVerifyDocument } from '../reports/verify-document.ts';
import { counted } from '../reports/verify-words.ts';
import type { RunParts } from './check-run.ts';
import type { Outcome } from './command.ts';
import type { Failure } from './hints.ts';
import { openNetwork } from './network.ts';
import { checkReportFiles } from './report-files.ts';
import type { Session } from './session.ts';
import { dayOf, loadBaseline, saveBaseline } from './verify-baseline.ts';
import type { CheckRunOptions } from './verify-flags.ts';
import { listOutcome } from './verify-list.ts';
import { failureOfRun } from './verify-outcome.ts';
import { linesOf, writeReports } from './verify-reports.ts';

/** What is verified: its address, the checks there are, and how a run of them is made and repeated. */
export interface Subject {
  readonly command: string;
  readonly catalogue: readonly Check[];
  /** Those that are asked for; throws `usage` where there are none. */
  readonly select: () => readonly Check[];
  /** Throws `usage` where the user gave none. */
  readonly url: () => URL;
  /** What has to be there before anything is sent; throws `usage` where it can't be. */
  readonly prepare?: () => Promise<void>;
  readonly createRun: (parts: RunParts) => Run;
  /** The command line that runs one check again, or everything. */
  readonly repeatCommand: (id: string | undefined, seed: string) => string;
}

/** For the list of the checks, which needs nothing that a run needs. */
export function unbound(checks: readonly Omit<Check, 'run'>[]): readonly Check[] {
  return checks.map((check) => ({ ...check, run: async () => undefined }));
}

/** One run of `verify` from its options to its reports, which are written also when it is stopped in the middle. */
export class Verification {
  readonly #subject: Subject;
  readonly #options: CheckRunOptions;
  readonly #session: Session;
  #run: Run | undefined;
  #baseline: readonly KnownFailure[] = [];
  #outcome: Outcome | undefined;

  constructor(subject: Subject, options: CheckRunOptions, session: Session) {
    this.#subject = subject;
    this.#options = options;
    this.#session = session;
  }

  /** The outcome; on a signal that of what ran so far, at once. */
  start(): Promise<Outcome> {
    const { signal } = this.#session.context;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        if (this.#run !== undefined) resolve(this.#conclude(this.#run.result()));
      };
      signal.addEventListener('abort', stop, { once: true });
      this.#perform().then(resolve, reject);
    });
  }

  async #perform(): Promise<Outcome> {
    const options = this.#options;
    const { catalogue, select, prepare, createRun } = this.#subject;
    const selected = select();
    if (options.list) return listOutcome(selected, this.#session);
    const url = this.#subject.url();
    this.#baseline = await loadBaseline(options, catalogue, this.#session);
    await checkReportFiles(options.report, this.#session);
    await prepare?.();
    const transport = await openNetwork(options, this.#session);
    const progress = this.#session.progress(`Verifying ${url.href}`);
    const parts = { url, selected, baseline: this.#baseline, transport, progress };
    try {
      await this.#wait(parts);
      this.#run = createRun(parts);
      const result = await this.#run.start();
      await this.#updateBaseline(result);
      return this.#conclude(result);
    } finally {
      progress.stop();
    }
  }

  async #wait(parts: Pick<RunParts, 'transport' | 'url' | 'progress'>): Promise<void> {
    const { wait } = this.#options;
    const { url, progress } = parts;
    // A command can be run at any time: there is nobody to wait for.
    if (wait === undefined || url.protocol === 'command:') return;
    const { signal, now } = this.#session.context;
    const end = now() + wait;
    progress.update(() => `Waiting for ${url.href} to answer, ${spanText(end - now())} left`);
    await waitForAnswer({ ...parts, durationMs: wait, signal });
  }

  async #updateBaseline({ checks, unreachable, interrupted }: RunResult): Promise<void> {
    const { expect: file, updateExpect } = this.#options;
    if (!updateExpect || file === undefined || unreachable || interrupted) return;
    this.#baseline = await saveBaseline(file, checks, this.#baseline, this.#session);
    this.#session.note(
      `${file} lists ${counted(this.#baseline.length, 'known failure')}; look at the reasons.`,
    );
  }

  /** Turns the result into the outcome, once, and has the reports written at the end of the run. */
  #conclude(result: RunResult): Outcome {
    this.#outcome ??= this.#report(result);
    return this.#outcome;
  }

  #report(result: RunResult): Outcome {
    const session = this.#session;
    const { context, secrets, style } = session;
    const { command } = this.#subject;
    const baseline = judgeBaseline(result.checks, this.#baseline, dayOf(context.now()));
    const whole = toVerifyDocument(result, {
      version: context.version,
      insecure: this.#options.insecure,
      resolve: this.#options.resolve,
      unixSocket: this.#options.unixSocket,
      references: session.showsSecrets ? [] : secrets.references,
      repeatCommand: (id) => this.#subject.repeatCommand(id, result.seed),
      baseline,
    });
    const document = session.showsSecrets ? whole : (secrets.json(whole) as typeof whole);
    const failure = this.#failureOf(result, baseline);
    session.atEnd(() =>
      writeReports({ document, result, failure, command }, this.#options, session),
    );
    const lines = linesOf(document, this.#options.format, style);
    return { fields: { ...document }, lines, failure };
  }

  #failureOf(result: RunResult, baseline: BaselineJudgement): Failure | undefined {
    const { signal } = this.#session.context;
    const stoppedBy: unknown = signal.aborted ? signal.reason : undefined;
    return failureOfRun(result, baseline, stoppedBy, this.#subject.command);
  }
}
