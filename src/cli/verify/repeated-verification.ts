import { readCertificates } from '../../client/survey.ts';
import { AuthcliError } from '../../errors.ts';
import { Changes } from '../../monitor/changes.ts';
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
import { runVerify } from './verification.ts';
import type { RepeatedOptions, VerifyOptions } from './verify-flags.ts';

/**
 * Runs of `verify` at an interval, until their number or a signal ends them. On a signal the run under way is cut
 * short, and everything is written before this process ends.
 */
export async function verifyRepeatedly(given: RepeatedOptions, session: Session): Promise<Outcome> {
  const { context, style } = session;
  const { now, pause, signal } = context;
  const { every, times, onChange } = given;
  const tally: Tally = { runs: 0, passed: 0, failed: 0, unreachable: 0, error: 0, skipped: 0 };
  let worst: Failure | undefined;
  // As they are now: SIGHUP reads them again.
  let options: VerifyOptions = given;
  let base = session;
  let changes = new Changes();
  const metrics = await startMetrics(given, session);

  const count = (status: Exclude<RunStatus, 'interrupted'>, failure: Failure | undefined) => {
    tally[status] += 1;
    if (failure !== undefined && (worst === undefined || rankOf(failure) < rankOf(worst)))
      worst = failure;
  };
  /** The first run says whether the options are right; a later one may fail for what passes. */
  const couldNotRun = (error: unknown): void => {
    if (signal.aborted) return;
    if (!(error instanceof AuthcliError)) throw error;
    const failure = failureOf(error);
    const { code, message, hint } = failure;
    const at = new Date(now()).toISOString();
    const event = { event: 'error', run: tally.runs, at, error: { code, message, hint } };
    const isJson = session.emitIfJson(event);
    if (tally.runs === 1) throw error;
    count('error', failure);
    metrics?.addRun({ status: 'error', endedAt: now() });
    if (!isJson) session.print([errorLine(at, message, style)]);
  };
  const take = async (ended: EndedRun): Promise<void> => {
    const { document, failure, status } = ended;
    if (status === 'interrupted') return printRun(ended, tally.runs, undefined);
    count(status, failure);
    const { started_at: at, unreachable, checks, certificate } = document;
    const seen = { at: Date.parse(at), unreachable: unreachable?.code, checks, certificate };
    const finding = changes.observe(seen);
    metrics?.addRun({ status, document, endedAt: now() });
    printRun(ended, tally.runs, finding?.change);
    if (finding === undefined) return;
    if (onChange !== undefined) {
      const { version, target } = document;
      const { change } = finding;
      const facts = { schema: changeSchema, version, target, at, run: tally.runs } as const;
      const handed = { ...facts, summary: changeSummary(change), ...change };
      if (!(await handOn(handed, onChange, ended.session.fork(signal)))) {
        metrics?.addFailedHandover();
        return;
      }
    }
    finding.commit();
    metrics?.addChange();
  };
  const reload = async (): Promise<void> => {
    try {
      const read = await session.reread?.();
      if (read === undefined) return;
      const next = read.options as VerifyOptions;
      if (next.url?.href !== options.url?.href) changes = new Changes();
      options = { ...next, wait: undefined };
      base = read.session;
      if (!session.emitIfJson({ event: 'reloaded', ok: true })) session.note('settings read again');
    } catch (error) {
      if (!(error instanceof AuthcliError)) throw error;
      session.emitIfJson({ event: 'reloaded', ok: false });
      const { message, hint } = failureOf(error);
      const what = 'the settings could not be read again and stay as they were';
      session.warn(`${what}: ${message} ${hint}`.trim());
    }
  };
  let reloading: Promise<void> | undefined;
  const loop = async (): Promise<void> => {
    const schedule = new Schedule({ everyMs: every, times });
    for (let next = schedule.next(now()); next !== undefined; next = schedule.next(now())) {
      const { skipped } = next;
      if (skipped > 0) {
        tally.skipped += skipped;
        metrics?.addSkipped(skipped);
        if (!session.emitIfJson({ event: 'skipped', runs: skipped }))
          session.warn(skippedText(skipped));
      }
      const waitMs = Math.min(next.at - now(), 2 ** 31 - 1);
      if (waitMs > 0) await pause(waitMs, signal).catch(() => {});
      await reloading;
      if (signal.aborted) return;
      tally.runs += 1;
      const ended = await makeRun(options, base).catch(couldNotRun);
      if (ended === undefined) continue;
      // The endpoint is waited for once.
      options = { ...options, wait: undefined };
      await take(ended);
    }
  };
  const undo = context.onHangUp(() => {
    reloading = (reloading ?? Promise.resolve()).then(reload);
  });
  const ended = loop().finally(undo);
  session.atEnd(async () => {
    if (signal.aborted) await ended.catch(() => {});
    session.emitIfJson({ event: 'ended', ...tally });
  });
  await ended;
  signal.throwIfAborted();
  return outcomeOf(tally, worst);
}

/** How the runs ended so far; `runs` have begun. */
type Tally = Record<'runs' | 'passed' | 'failed' | 'unreachable' | 'error' | 'skipped', number>;

/** Says that the runs begin, and serves what --metrics asks for. */
async function startMetrics(
  { every, metrics: place }: RepeatedOptions,
  session: Session,
): Promise<Metrics | undefined> {
  const { version, now } = session.context;
  const started = { event: 'started', schema: monitorSchema, version, every_ms: every };
  if (place === undefined) {
    session.emitIfJson(started);
    return undefined;
  }
  const { Metrics, serveMetrics } = await import('../../monitor/metrics.ts');
  const metrics = new Metrics({ version, now });
  const server = await serveMetrics(metrics, place);
  session.atEnd(() => server.close());
  const url = `${server.url}/metrics`;
  if (!session.emitIfJson({ ...started, metrics: url })) session.note(`metrics: ${url}`);
  return metrics;
}

function printRun(
  { document, status, lines, session }: EndedRun,
  run: number,
  change: Change | undefined,
): void {
  const { style, detail } = session;
  if (session.emitIfJson(toRunEvent(run, status, document, change))) return;
  if (detail === 'quiet' && change === undefined) return;
  session.print([runLine(status, document, change, style)]);
  if (change === undefined || detail === 'quiet') return;
  const report = lines.filter((line) => typeof line === 'string');
  session.print(['', ...changeLines(change, style), '', ...report, '']);
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
    let document: VerifyDocument | undefined;
    const { lines, failure } = await runVerify(options, session, {
      certificate: readCertificate(options, session),
      onDocument: (found) => {
        document = found;
      },
    });
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

/** The status of several runs: that of the first of these that one of them had. */
const worstFirst: readonly number[] = [
  exitStatus.bug,
  exitStatus.usage,
  exitStatus.localState,
  exitStatus.negative,
  exitStatus.unreachable,
];

/** The exit status is that of the worst run. */
function outcomeOf(tally: Tally, worst: Failure | undefined): Outcome {
  const parts = [
    [tally.passed, 'passed'],
    [tally.failed, 'failed'],
    [tally.unreachable, 'unreachable'],
    [tally.error, 'could not be made'],
    [tally.skipped, 'left out'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const text = `${counted(tally.runs, 'run')}: ${shown.join(', ')}.`;
  if (worst === undefined) return { fields: {}, lines: [confirmation(text)] };
  const { code, hint } = worst;
  const message = `${text} The worst: ${worst.message}`;
  const status = worst.exitStatus ?? exitStatusOf(code);
  return { fields: {}, lines: [], failure: { code, message, hint, exitStatus: status } };
}

function rankOf({ exitStatus: own, code }: Failure): number {
  const rank = worstFirst.indexOf(own ?? exitStatusOf(code));
  return rank === -1 ? worstFirst.length : rank;
}
