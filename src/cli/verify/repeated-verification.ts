import { AuthcliError } from '../../errors.ts';
import { Changes } from '../../monitor/changes.ts';
import type { Metrics } from '../../monitor/metrics.ts';
import { Schedule } from '../../monitor/schedule.ts';
import {
  type Change,
  type ChangeDocument,
  changeLines,
  changeSchema,
  changeSummary,
} from '../../reports/change-document.ts';
import {
  errorLine,
  monitorSchema,
  runLine,
  skippedText,
  toRunEvent,
} from '../../reports/run-line.ts';
import type { Outcome } from '../command.ts';
import { failureOf } from '../failure.ts';
import type { Session } from '../session.ts';
import { handOn } from './change-command.ts';
import type { RepeatedOptions } from './repeat-flags.ts';
import { observationOf, RunTally } from './run-tally.ts';
import { type EndedRun, makeRun } from './single-run.ts';
import type { VerifyOptions } from './verify-flags.ts';

/** Runs of `verify` at an interval, until their number or a signal ends them. */
export class RepeatedVerification {
  readonly #session: Session;
  readonly #every: RepeatedOptions;
  readonly #tally = new RunTally();
  /** As they are now: SIGHUP reads them again. */
  #options: VerifyOptions;
  #base: Session;
  #changes = new Changes();
  #metrics: Metrics | undefined;
  #reloading: Promise<void> | undefined;

  constructor(options: RepeatedOptions, session: Session) {
    this.#every = options;
    this.#options = options;
    this.#session = session;
    this.#base = session;
  }

  /** On a signal the run under way is cut short, and everything is written before this process ends. */
  async start(): Promise<Outcome> {
    const { context } = this.#session;
    await this.#serveMetrics();
    const undo = context.onHangUp(() => {
      this.#reloading = (this.#reloading ?? Promise.resolve()).then(() => this.#reload());
    });
    const ended = this.#loop().finally(undo);
    this.#session.atEnd(async () => {
      if (context.signal.aborted) await ended.catch(() => {});
      this.#session.emitIfJson({ event: 'ended', ...this.#tally.fields() });
    });
    await ended;
    context.signal.throwIfAborted();
    return this.#tally.outcome();
  }

  async #loop(): Promise<void> {
    const { every, times } = this.#every;
    const { now, pause, signal } = this.#session.context;
    const schedule = new Schedule({ everyMs: every, times });
    for (let next = schedule.next(now()); next !== undefined; next = schedule.next(now())) {
      if (next.skipped > 0) this.#skipped(next.skipped);
      const waitMs = Math.min(next.at - now(), 2 ** 31 - 1);
      if (waitMs > 0) await pause(waitMs, signal).catch(() => {});
      await this.#reloading;
      if (signal.aborted) return;
      await this.#run();
    }
  }

  async #run(): Promise<void> {
    this.#tally.begin();
    let ended: EndedRun;
    try {
      ended = await makeRun(this.#options, this.#base);
    } catch (error) {
      this.#couldNotRun(error);
      return;
    }
    // The endpoint is waited for once.
    this.#options = { ...this.#options, wait: undefined };
    await this.#take(ended);
  }

  /** The first run says whether the options are right; a later one may fail for what passes. */
  #couldNotRun(error: unknown): void {
    const isFirst = this.#tally.runs === 1;
    const { context, style } = this.#session;
    if (context.signal.aborted) return;
    if (!(error instanceof AuthcliError)) throw error;
    const failure = failureOf(error);
    const { code, message, hint } = failure;
    const at = new Date(context.now()).toISOString();
    const event = { event: 'error', run: this.#tally.runs, at, error: { code, message, hint } };
    const isJson = this.#session.emitIfJson(event);
    if (isFirst) throw error;
    this.#tally.add('error', failure);
    this.#metrics?.addRun({ status: 'error', endedAt: context.now() });
    if (!isJson) this.#session.print([errorLine(at, message, style)]);
  }

  async #take(ended: EndedRun): Promise<void> {
    const { document, failure, status } = ended;
    if (status === 'interrupted') {
      this.#print(ended, undefined);
      return;
    }
    this.#tally.add(status, failure);
    const finding = this.#changes.observe(observationOf(document));
    this.#metrics?.addRun({ status, document, endedAt: this.#session.context.now() });
    this.#print(ended, finding?.change);
    const isReported = finding === undefined || (await this.#handOn(finding.change, ended));
    if (isReported && finding !== undefined) {
      finding.commit();
      this.#metrics?.addChange();
    }
  }

  #print({ document, status, lines, session }: EndedRun, change: Change | undefined): void {
    const { style, detail } = session;
    if (session.emitIfJson(toRunEvent(this.#tally.runs, status, document, change))) return;
    if (detail === 'quiet' && change === undefined) return;
    session.print([runLine(status, document, change, style)]);
    const isNew = change !== undefined && detail !== 'quiet';
    if (!isNew) return;
    const report = lines.filter((line) => typeof line === 'string');
    session.print(['', ...changeLines(change, style), '', ...report, '']);
  }

  async #handOn(change: Change, { document, session }: EndedRun): Promise<boolean> {
    const { onChange } = this.#every;
    if (onChange === undefined) return true;
    const { version, target, started_at: at } = document;
    const run = this.#tally.runs;
    const summary = changeSummary(change);
    const handed: ChangeDocument = {
      schema: changeSchema,
      version,
      target,
      at,
      run,
      summary,
      ...change,
    };
    const isDone = await handOn(handed, onChange, session.fork(this.#session.context.signal));
    if (!isDone) this.#metrics?.addFailedHandover();
    return isDone;
  }

  async #serveMetrics(): Promise<void> {
    const session = this.#session;
    const { metrics: place } = this.#every;
    const { version, now } = session.context;
    const started = {
      event: 'started',
      schema: monitorSchema,
      version,
      every_ms: this.#every.every,
    };
    if (place === undefined) {
      session.emitIfJson(started);
      return;
    }
    const { Metrics, serveMetrics } = await import('../../monitor/metrics.ts');
    this.#metrics = new Metrics({ version, now });
    const server = await serveMetrics(this.#metrics, place);
    session.atEnd(() => server.close());
    const url = `${server.url}/metrics`;
    if (!session.emitIfJson({ ...started, metrics: url })) session.note(`metrics: ${url}`);
  }

  #skipped(runs: number): void {
    this.#tally.skip(runs);
    this.#metrics?.addSkipped(runs);
    const isJson = this.#session.emitIfJson({ event: 'skipped', runs });
    if (!isJson) this.#session.warn(skippedText(runs));
  }

  async #reload(): Promise<void> {
    const session = this.#session;
    try {
      const { options, session: fresh } = (await session.reread?.()) ?? {};
      if (fresh === undefined) return;
      const next = options as VerifyOptions;
      if (next.url?.href !== this.#options.url?.href) {
        this.#changes = new Changes();
      }
      this.#options = { ...next, wait: undefined };
      this.#base = fresh;
      if (!session.emitIfJson({ event: 'reloaded', ok: true })) session.note('settings read again');
    } catch (error) {
      if (!(error instanceof AuthcliError)) throw error;
      session.emitIfJson({ event: 'reloaded', ok: false });
      const { message, hint } = failureOf(error);
      const what = 'the settings could not be read again and stay as they were';
      session.warn(`${what}: ${message} ${hint}`.trim());
    }
  }
}
