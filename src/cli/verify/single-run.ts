import { readCertificates } from '../../client/survey.ts';
import { certificateDocument } from '../../reports/change-document.ts';
import type { RunStatus } from '../../reports/run-line.ts';
import type { VerifyDocument } from '../../reports/verify-document.ts';
import type { Line } from '../command.ts';
import type { Failure } from '../failure.ts';
import { transportOptions } from '../network.ts';
import type { Session } from '../session.ts';
import { Verification } from './verification.ts';
import type { VerifyOptions } from './verify-flags.ts';
import { applicationSubject } from './verify-run.ts';

/** One of several runs, ended and cleaned up; its session still knows the secrets of the run. */
export interface EndedRun {
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
export async function makeRun(options: VerifyOptions, base: Session): Promise<EndedRun> {
  const stop = new AbortController();
  const { signal } = base.context;
  const onAbort = (): void => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const session = base.fork(stop.signal);
  try {
    const subject = applicationSubject(options, session);
    const certificate = readCertificate(options, session);
    const verification = new Verification(subject, options, session, { certificate });
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
