import { plainOptions } from '../client/transport-options.ts';
import { Secret } from '../crypto/secret.ts';
import type { LoadResult } from '../load/result.ts';
import type { LoadProgress } from '../load/run.ts';
import { LoadRun } from '../load/run.ts';
import { judgeThresholds } from '../load/thresholds.ts';
import { type LoadDocument, toLoadDocument } from '../reports/load-document.ts';
import { loadLines } from '../reports/load-human.ts';
import type { Outcome } from './command.ts';
import { usage } from './hints.ts';
import type { LoadOptions } from './load-flags.ts';
import { failureOfLoad, notesOf } from './load-outcome.ts';
import { checkTarget, paceText, scheduleOf, threadsOf } from './load-plan.ts';
import { writeLoadReports } from './load-reports.ts';
import { showOne } from './load-sample.ts';
import { targetOf, taskOf } from './load-task.ts';
import { resolveHeaders, transportOptions } from './network.ts';
import type { Progress } from './progress.ts';
import { checkReportFiles } from './report-files.ts';
import type { Session } from './session.ts';
import { columnsOf } from './style.ts';

/** One load from its options to its reports, which are written also when it is stopped in the middle. */
export class LoadSession {
  readonly #options: LoadOptions;
  readonly #session: Session;
  #run: LoadRun | undefined;
  #target = '';
  #pace = '';
  #progress: Progress | undefined;
  #cpuBeforeMs = 0;
  #outcome: Outcome | undefined;

  constructor(options: LoadOptions, session: Session) {
    this.#options = options;
    this.#session = session;
  }

  /** The outcome; on a signal that of what ran so far, at once. */
  start(): Promise<Outcome> {
    const { signal } = this.#session.context;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        const run = this.#run;
        if (run === undefined) return;
        this.#session.atEnd(() => run.halt());
        resolve(this.#conclude(run.result(true)));
      };
      signal.addEventListener('abort', stop, { once: true });
      this.#perform().then(resolve, reject);
    });
  }

  async #perform(): Promise<Outcome> {
    const options = this.#options;
    const session = this.#session;
    const target = targetOf(options);
    checkTarget(target, options.allowHost);
    if (options.retry > 0) {
      throw usage(
        'A load repeats nothing: --retry would hide what it is to show.',
        'Leave it out.',
      );
    }
    await checkReportFiles(options.report, session);
    const schedule = scheduleOf(options);
    const task = await taskOf(options, target, session);
    await showOne(options, target, task, session);
    const header = await resolveHeaders(options.header, session);
    const {
      signal: _,
      now: __,
      retries: ___,
      ...wire
    } = transportOptions({ ...options, header }, session);
    this.#target = target.href;
    this.#pace = paceText(schedule);
    const progress = session.progress(`Loading ${target.href}`);
    this.#progress = progress;
    const threads = await session.context.loadThreads();
    const run = new LoadRun({
      task,
      wire: plainOptions(wire),
      schedule,
      threads: threadsOf(options, target, threads.parallelism),
      startThread: threads.start,
      emit: (event) => {
        if (event.type === 'secret') session.secrets.add(event.value);
        if (event.type === 'progress') progress.update(this.#progressText(event.progress));
      },
    });
    this.#cpuBeforeMs = session.context.resources().cpuMs;
    this.#run = run;
    return this.#conclude(await run.start());
  }

  #progressText({ perSecond, p99, failed, ended, elapsedMs, warmingUp }: LoadProgress): string {
    const seconds = Math.round(elapsedMs / 1000);
    const what = warmingUp ? 'warming up' : `${ended} ended, ${failed} failed`;
    return `${this.#target}: ${seconds} s, ${Math.round(perSecond)}/s, p99 ${p99.toFixed(1)} ms, ${what}`;
  }

  /** Turns the result into the outcome, once, and has reports and users written at the end of the run. */
  #conclude(result: LoadResult): Outcome {
    this.#outcome ??= this.#report(result);
    return this.#outcome;
  }

  #report(result: LoadResult): Outcome {
    this.#progress?.stop();
    const session = this.#session;
    const { context, secrets, style } = session;
    const options = this.#options;
    const thresholds = judgeThresholds(result, options);
    const { cpuMs, peakMemoryBytes } = context.resources();
    const whole = toLoadDocument(result, {
      version: context.version,
      url: this.#target,
      pace: this.#pace,
      thresholds,
      notes: notesOf(result),
      used: { cpuMs: cpuMs - this.#cpuBeforeMs, peakMemoryBytes },
    });
    const document = session.showsSecrets ? whole : (secrets.json(whole) as LoadDocument);
    const stoppedBy: unknown = context.signal.aborted ? context.signal.reason : undefined;
    const tolerates = options.maxErrors !== undefined;
    const failure = failureOfLoad(result, thresholds, tolerates, stoppedBy);
    session.atEnd(() =>
      writeLoadReports({ document, failure, command: 'load' }, options.report, session),
    );
    session.atEnd(() => this.#saveUsers());
    return {
      fields: { ...document },
      lines: loadLines(document, style, columnsOf(context.stdout)),
      failure,
    };
  }

  async #saveUsers(): Promise<void> {
    const { users = [] } = this.#run ?? {};
    if (users.length === 0) return;
    const state = await this.#session.state();
    await state.users.importUsers(
      users.map(({ ptnCd, key, superPasscode, userInfo }) => ({
        ptnCd,
        key: Secret.key(key),
        superPasscode: Secret.text(superPasscode),
        deliveredPasscode: Secret.text(superPasscode),
        userInfo: Secret.optional(userInfo),
        state: 'registered' as const,
      })),
    );
    this.#session.note(`${users.length} users are kept in the profile.`);
  }
}
