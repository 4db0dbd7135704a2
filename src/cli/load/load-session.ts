import { runSample } from '../../app/load.ts';
import { plainOptions } from '../../client/transport-options.ts';
import { Secret } from '../../crypto/secret.ts';
import { judgeThresholds, type LoadResult } from '../../load/result.ts';
import { type LoadProgress, LoadRun } from '../../load/run.ts';
import { toLoadDocument } from '../../reports/load-document.ts';
import { loadLines } from '../../reports/load-human.ts';
import { type Outcome, outcomeOrStop } from '../command.ts';
import { failureOf, usage } from '../failure.ts';
import { openNetwork, resolveHeaders, transportOptions } from '../network.ts';
import type { Session } from '../session.ts';
import type { Progress } from '../terminal/progress.ts';
import { columnsOf } from '../terminal/style.ts';
import { checkReportFiles } from '../verify/report-files.ts';
import type { LoadOptions } from './load-flags.ts';
import { failureOfLoad, notesOf, writeLoadReports } from './load-reports.ts';
import { checkTarget, paceText, scheduleOf, targetOf, taskOf, threadsOf } from './load-task.ts';

/** A run of `load`; its reports are also written if it is stopped. */
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

  /** The outcome; on a signal immediately, with what ran. */
  start(): Promise<Outcome> {
    return outcomeOrStop(this.#session.context.signal, this.#perform(), () => {
      const run = this.#run;
      if (run === undefined) return undefined;
      this.#session.atEnd(() => run.halt());
      return this.#conclude(run.result(true));
    });
  }

  async #perform(): Promise<Outcome> {
    const options = this.#options;
    const session = this.#session;
    const target = targetOf(options);
    checkTarget(target, options.allowHost);
    if (options.retry > 0) {
      throw usage('A load does not retry: --retry would hide failures.', 'Leave it out.');
    }
    await checkReportFiles(options.report, session);
    const schedule = scheduleOf(options);
    const task = await taskOf(options, target, session);
    if (session.global.trace || options.curl || options.har !== undefined) {
      const transport = await openNetwork(options, session);
      await runSample(transport, task, session.context, session.secrets);
    }
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
        if (event.type === 'secret') session.secrets.addFromPeer(event.value);
        if (event.type === 'progress') progress.update(this.#progressText(event.progress));
      },
    });
    this.#cpuBeforeMs = session.context.resources().cpuMs;
    this.#run = run;
    return this.#conclude(await run.start());
  }

  #progressText({ perSecond, p99, failed, ended, elapsedMs }: LoadProgress): string {
    const seconds = Math.round(elapsedMs / 1000);
    const what = `${ended} ended, ${failed} failed`;
    return `${this.#target}: ${seconds} s, ${Math.round(perSecond)}/s, p99 ${p99.toFixed(1)} ms, ${what}`;
  }

  #conclude(result: LoadResult): Outcome {
    this.#outcome ??= this.#report(result);
    return this.#outcome;
  }

  #report(result: LoadResult): Outcome {
    this.#progress?.stop();
    const session = this.#session;
    const { context, style } = session;
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
    const document = session.redactJson(whole);
    const { signal } = context;
    const failure = signal.aborted
      ? failureOf(signal.reason)
      : failureOfLoad(result, thresholds, options.maxErrors !== undefined);
    const parts = { document, failure, command: 'load' };
    session.atEnd(() => writeLoadReports(parts, options.report, session));
    session.atEnd(() => this.#saveUsers());
    const lines = loadLines(document, {
      style,
      width: columnsOf(context.stdout),
      fixedBelow: failure?.code,
    });
    return { fields: { ...document }, lines, failure };
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
    this.#session.note(
      `${users.length === 1 ? '1 user is' : `${users.length} users are`} saved in the profile.`,
    );
  }
}
