import { readCertificates } from '../../client/survey.ts';
import type { VerifyDocument } from '../../conformance/document.ts';
import { AuthcliError, isConnectionCode } from '../../errors.ts';
import { failureText } from '../../reports/failure-text.ts';
import {
  type Change,
  certificateDocument,
  changeLines,
  changeSchema,
  changeSummary,
  compareRun,
  errorLine,
  monitorSchema,
  nothingReported,
  type RunStatus,
  runLine,
  toRunEvent,
} from '../../reports/monitor.ts';
import { counted } from '../../text.ts';
import { confirmation, type Outcome } from '../command.ts';
import { exitStatusOf, rankOf } from '../exit-status.ts';
import { type Failure, failureOf } from '../failure.ts';
import { transportOptions } from '../network.ts';
import { runGivenCommand } from '../process/given-command.ts';
import type { Session } from '../session.ts';
import { partsOf } from '../terminal/output.ts';
import { columnsOf } from '../terminal/style.ts';
import { watchFolder } from './folder-watch.ts';
import { runVerify } from './verification.ts';
import type { VerifyOptions } from './verify.ts';

/**
 * Runs of `verify` at an interval, or with --watch after changes of files, until their number or a signal ends them.
 * On a signal the run under way is cut short, and everything is written before this process ends.
 */
export async function verifyRepeatedly(options: VerifyOptions, session: Session): Promise<Outcome> {
  const { context } = session;
  const { now, pause, signal, cwd } = context;
  const { times, onChange, every: everyMs = 0 } = options;
  const folder = options.watch ? watchFolder(cwd, context) : undefined;
  const tally = { runs: 0, passed: 0, failed: 0, unreachable: 0, error: 0, skipped: 0 };
  let worst: Failure | undefined;
  let reported = nothingReported;
  const metrics = await startMetrics(options.metrics, everyMs, session);

  const count = (
    status: Exclude<RunStatus, 'interrupted'>,
    failure: Failure | undefined,
    document?: VerifyDocument,
  ) => {
    tally[status] += 1;
    metrics?.addRun(status, document);
    if (failure === undefined) return;
    if (worst === undefined || rankOf(statusOf(failure)) < rankOf(statusOf(worst))) worst = failure;
  };
  /** The first run shows whether the options are right; a later one may fail for what passes. */
  const couldNotRun = (error: unknown): void => {
    if (signal.aborted) return;
    if (!(error instanceof AuthcliError)) throw error;
    const failure = failureOf(error);
    const { code, message, hint } = failure;
    const at = new Date(now()).toISOString();
    const event = { event: 'error', run: tally.runs, at, error: { code, message, hint } };
    const isJson = session.emitIfJson(event);
    // Whoever watches files is fixing the application, which may not even start.
    const isTemporary = folder !== undefined && isConnectionCode(code);
    if (tally.runs === 1 && !isTemporary) throw error;
    count('error', failure);
    if (isJson) return;
    const look = session.failureLook(session.style, columnsOf(context.stdout));
    const lines = folder ? failureText(partsOf(failure), look) : [];
    session.print([errorLine(at, message, session.style), ...lines]);
  };
  const take = async (ended: EndedRun): Promise<void> => {
    const { document, failure } = ended;
    if (document.interrupted) return printRun(ended, 'interrupted', tally.runs, undefined);
    const { version, target, started_at: at, unreachable } = document;
    const status = unreachable ? 'unreachable' : failure ? 'failed' : 'passed';
    count(status, failure, document);
    const { change, next } = compareRun(reported, document);
    printRun(ended, status, tally.runs, change);
    if (change !== undefined && onChange !== undefined) {
      const facts = { schema: changeSchema, version, target, at, run: tally.runs };
      const handed = { ...facts, summary: changeSummary(change), ...change };
      if (!(await handOn(ended.session.redactJson(handed), onChange, session))) {
        metrics?.failedHandovers.inc();
        return;
      }
    }
    reported = next;
    if (change !== undefined) metrics?.changes.inc();
  };
  const loop = async (): Promise<void> => {
    for (let at = now(); ; ) {
      const waitMs = Math.min(at - now(), 2 ** 31 - 1);
      if (waitMs > 0) await pause(waitMs, signal).catch(() => {});
      if (signal.aborted) return;
      tally.runs += 1;
      await folder?.begin();
      // The endpoint is waited for once.
      const wait = tally.runs === 1 ? options.wait : undefined;
      const ended = await makeRun({ ...options, wait }, session).catch(couldNotRun);
      if (ended !== undefined) await take(ended);
      if (tally.runs === times) return;
      if (folder !== undefined) {
        const file = await folder.change().catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
        if (file === undefined) return;
        session.note(`${file} changed`);
        at = now();
        continue;
      }
      const next = nextRun(at, now(), everyMs);
      at = next.at;
      if (next.skipped === 0) continue;
      tally.skipped += next.skipped;
      metrics?.skipped.inc(next.skipped);
      if (!session.emitIfJson({ event: 'skipped', runs: next.skipped }))
        session.warn(
          `${counted(next.skipped, 'run')} left out: the one before took longer than the interval, or the machine slept.`,
        );
    }
  };
  const ended = loop();
  session.atEnd(async () => {
    if (signal.aborted) await ended.catch(() => {});
    session.emitIfJson({ event: 'ended', ...tally });
  });
  await ended;
  signal.throwIfAborted();
  const parts = [
    [tally.passed, 'passed'],
    [tally.failed, 'failed'],
    [tally.unreachable, 'unreachable'],
    [tally.error, 'could not be made'],
    [tally.skipped, 'left out'],
  ] as const;
  const shown = parts.filter(([number]) => number > 0).map(([number, how]) => `${number} ${how}`);
  const text = `${counted(tally.runs, 'run')}: ${shown.join(', ')}.`;
  if (worst === undefined) return { fields: {}, lines: [confirmation(text)] };
  const { code, hint, message } = worst;
  const failure = { code, message: `${text} The worst: ${message}`, hint };
  return { fields: {}, lines: [], failure: { ...failure, exitStatus: statusOf(worst) } };
}

function statusOf({ exitStatus, code }: Failure): number {
  return exitStatus ?? exitStatusOf(code);
}

/** A multiple of the interval after `at`, and how many runs are left out by then. */
export function nextRun(at: number, now: number, everyMs: number) {
  const intervals = Math.max(1, Math.ceil((now - at) / everyMs));
  // A clock that was set back must not stop the runs: none is further away than the interval.
  return { at: Math.min(at + intervals * everyMs, now + everyMs), skipped: intervals - 1 };
}

/** Reports that the runs begin, and serves what --metrics asks for. */
async function startMetrics(place: VerifyOptions['metrics'], everyMs: number, session: Session) {
  const { version, now } = session.context;
  const started = { event: 'started', schema: monitorSchema, version, every_ms: everyMs };
  if (place === undefined) {
    session.emitIfJson(started);
    return undefined;
  }
  const { createMetrics, serveMetrics } = await import('./metrics.ts');
  const metrics = createMetrics(version, now);
  const server = await serveMetrics(metrics, place);
  session.atEnd(() => server.close());
  const url = `${server.url}/metrics`;
  if (!session.emitIfJson({ ...started, metrics: url })) session.note(`metrics: ${url}`);
  return metrics;
}

function printRun(
  { document, lines, session }: EndedRun,
  status: RunStatus,
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
type EndedRun = Awaited<ReturnType<typeof makeRun>>;

/**
 * Makes one run with a session of its own, so that nothing of it stays in memory. Throws where it could not be made;
 * on a signal it returns what ran.
 */
async function makeRun(options: VerifyOptions, base: Session) {
  const stop = new AbortController();
  const { signal } = base.context;
  const onAbort = (): void => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const session = base.anotherRun(stop.signal);
  try {
    const certificate = readCertificate(options, session);
    const { document, lines, failure } = await runVerify(options, session, certificate);
    if (document === undefined) throw new TypeError('a run that has ended has a document');
    return { document, failure, lines, session };
  } finally {
    await session.finish().finally(() => signal.removeEventListener('abort', onAbort));
    // What the run left under way, such as a connection that is being opened, ends with it.
    stop.abort(signal.reason);
  }
}

/** Beside the requests, on a connection of its own: the certificate is read whether it is accepted or not. */
async function readCertificate(options: VerifyOptions, session: Session) {
  if (options.url === undefined) return undefined;
  const network = transportOptions({ ...options, header: [] }, session);
  return certificateDocument(await readCertificates(options.url, network).catch(() => []));
}

/**
 * Runs the program of --on-change, without a shell, with the change as JSON on its standard input. Warns where it
 * fails, and returns false.
 */
async function handOn(change: object, line: string, session: Session): Promise<boolean> {
  const again = 'The change is reported again after the next run.';
  const input = `${JSON.stringify(change)}\n`;
  try {
    const { command, fault, shown } = await runGivenCommand(line, input, session);
    if (fault !== undefined) {
      session.warn([`--on-change: ${command} ${fault}. ${again}`, ...shown].join('\n'));
      return false;
    }
    if (session.detail === 'verbose' && shown.length > 0)
      session.aside(['--on-change:', ...shown].join('\n'));
    return true;
  } catch (error) {
    session.warn(`--on-change: ${failureOf(error).message} ${again}`);
    return false;
  }
}
