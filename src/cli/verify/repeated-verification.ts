import { readCertificates } from '../../client/survey.ts';
import { AuthcliError } from '../../errors.ts';
import { Changes, type Observation } from '../../monitor/changes.ts';
import type { Metrics } from '../../monitor/metrics.ts';
import { Schedule } from '../../monitor/schedule.ts';
import {
  errorLine,
  monitorSchema,
  type RunStatus,
  runLine,
  skippedText,
  toRunEvent,
} from '../../reports/run-line.ts';
import {
  type Change,
  type ChangeDocument,
  certificateDocument,
  changeLines,
  changeSchema,
  changeSummary,
} from '../../reports/verify-diff.ts';
import type { VerifyDocument } from '../../reports/verify-document.ts';
import { counted } from '../../text.ts';
import { confirmation, type Line, type Outcome } from '../command.ts';
import { exitStatus, exitStatusOf } from '../exit-status.ts';
import { type Failure, failureOf } from '../failure.ts';
import { transportOptions } from '../network.ts';
import { runGivenCommand } from '../process/given-command.ts';
import type { Session } from '../session.ts';
import { Verification } from './verification.ts';
import type { RepeatedOptions, VerifyOptions } from './verify-flags.ts';

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

/** One of several runs, ended and cleaned up; its session still knows the secrets of the run. */
interface EndedRun {
  readonly document: VerifyDocument;
  readonly failure: Failure | undefined;
  readonly status: RunStatus;
  /** The whole report for people. */
  readonly lines: readonly Line[];
  readonly session: Session;
}

/**
 * Makes one run with a session of its own, so that nothing of it stays in memory. Throws where it could not be made;
 * on a signal it returns what ran.
 */
async function makeRun(options: VerifyOptions, base: Session): Promise<EndedRun> {
  const stop = new AbortController();
  const { signal } = base.context;
  const onAbort = (): void => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const session = base.fork(stop.signal);
  try {
    const verification = new Verification(options, session, readCertificate(options, session));
    const { lines, failure } = await verification.start();
    const { document } = verification;
    if (document === undefined) throw new TypeError('a run that has ended has a document');
    return { document, failure, status: statusOf(document, failure), lines, session };
  } finally {
    await session.finish().finally(() => signal.removeEventListener('abort', onAbort));
    // What the run left under way, such as a connection that is being opened, ends with it.
    stop.abort(signal.reason);
  }
}

/** Beside the requests, on a connection of its own: the certificate is read whether it is accepted or not. */
async function readCertificate(options: VerifyOptions, session: Session) {
  if (options.url === undefined) return undefined;
  const network = { ...options, header: [] };
  const chain = await readCertificates(options.url, transportOptions(network, session)).catch(
    () => [],
  );
  return certificateDocument(chain);
}

function statusOf(document: VerifyDocument, failure: Failure | undefined): RunStatus {
  if (document.interrupted) return 'interrupted';
  if (document.unreachable !== undefined) return 'unreachable';
  return failure === undefined ? 'passed' : 'failed';
}

/**
 * Runs the program of --on-change, without a shell, with the change as JSON on its standard input. Warns where it
 * fails, and returns false.
 */
async function handOn(change: ChangeDocument, line: string, session: Session): Promise<boolean> {
  const { global } = session;
  const input = `${JSON.stringify(session.redactJson(change))}\n`;
  try {
    const { command, fault, shown } = await runGivenCommand(line, { input }, session);
    if (fault === undefined) {
      if (global.verbose && shown.length > 0) session.aside(['--on-change:', ...shown].join('\n'));
      return true;
    }
    session.warn([`--on-change: ${command} ${fault}. ${again}`, ...shown].join('\n'));
  } catch (error) {
    session.warn(`--on-change: ${failureOf(error).message} ${again}`);
  }
  return false;
}

const again = 'The change is reported again after the next run.';

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
class RunTally {
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
      exitStatus: worst.exitStatus ?? exitStatusOf(code),
    };
    return { fields: {}, lines: [], failure };
  }
}

function rankOf({ exitStatus: own, code }: Failure): number {
  const rank = worstFirst.indexOf(own ?? exitStatusOf(code));
  return rank === -1 ? worstFirst.length : rank;
}

/** What a report says that is compared with other runs. */
function observationOf(document: VerifyDocument): Observation {
  const { started_at: at, unreachable, checks, certificate } = document;
  return { at: Date.parse(at), unreachable: unreachable?.code, checks, certificate };
}
