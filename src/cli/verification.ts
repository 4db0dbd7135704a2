import {
  type BaselineJudgement,
  judgeBaseline,
  type KnownFailure,
} from '../conformance/baseline.ts';
import { checks as catalogue } from '../conformance/catalogue.ts';
import type { RunResult } from '../conformance/result.ts';
import type { Run } from '../conformance/runner.ts';
import { selectChecks } from '../conformance/selection.ts';
import { waitForAnswer } from '../conformance/wait.ts';
import { toVerifyDocument } from '../reports/verify-document.ts';
import { counted } from '../reports/verify-words.ts';
import type { Outcome } from './command.ts';
import type { Failure } from './hints.ts';
import { usage } from './hints.ts';
import { openNetwork } from './network.ts';
import { checkReportFiles } from './report-files.ts';
import type { Session } from './session.ts';
import { dayOf, loadBaseline, saveBaseline } from './verify-baseline.ts';
import type { VerifyOptions } from './verify-flags.ts';
import { listOutcome } from './verify-list.ts';
import { failureOfRun } from './verify-outcome.ts';
import { repeatCommand } from './verify-repeat.ts';
import { linesOf, writeReports } from './verify-reports.ts';
import { createRun } from './verify-run.ts';

/** One run of `verify` from its options to its reports, which are written also when it is stopped in the middle. */
export class Verification {
  readonly #options: VerifyOptions;
  readonly #session: Session;
  #run: Run | undefined;
  #baseline: readonly KnownFailure[] = [];
  #outcome: Outcome | undefined;

  constructor(options: VerifyOptions, session: Session) {
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
    const selected = selectChecks(catalogue, options);
    if (options.list) return listOutcome(selected, this.#session);
    const { url = missingUrl() } = options;
    this.#baseline = await loadBaseline(options, this.#session);
    await checkReportFiles(options.report, this.#session);
    const transport = await openNetwork(options, this.#session);
    const progress = this.#session.progress(`Verifying ${url.href}`);
    const parts = { url, selected, baseline: this.#baseline, transport, progress };
    try {
      await this.#wait(parts);
      this.#run = createRun(options, parts, this.#session);
      const result = await this.#run.start();
      await this.#updateBaseline(result);
      return this.#conclude(result);
    } finally {
      progress.stop();
    }
  }

  async #wait(
    parts: Pick<Parameters<typeof waitForAnswer>[0], 'transport' | 'url'>,
  ): Promise<void> {
    const { wait } = this.#options;
    if (wait === undefined) return;
    const { signal } = this.#session.context;
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
    const baseline = judgeBaseline(result.checks, this.#baseline, dayOf(context.now()));
    const whole = toVerifyDocument(result, {
      version: context.version,
      insecure: this.#options.insecure,
      repeatCommand: (id) => repeatCommand(id, this.#options, result.seed),
      baseline,
    });
    const document = session.showsSecrets ? whole : (secrets.json(whole) as typeof whole);
    const failure = this.#failureOf(result, baseline);
    session.atEnd(() => writeReports({ document, result, failure }, this.#options, session));
    const lines = linesOf(document, this.#options.format, style);
    return { fields: { ...document }, lines, failure };
  }

  #failureOf(result: RunResult, baseline: BaselineJudgement): Failure | undefined {
    const { signal } = this.#session.context;
    return failureOfRun(result, baseline, signal.aborted ? signal.reason : undefined);
  }
}

function missingUrl(): never {
  throw usage(
    "verify needs --url: the application's callback URL.",
    'Give --url <url>, set AUTHCLI_URL, or run `authcli config set url …`.',
  );
}
