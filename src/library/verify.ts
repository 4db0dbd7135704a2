import type { KnownFailure } from '../conformance/baseline.ts';
import type { Diagnosis } from '../errors.ts';
import type { CheckDocument, VerifyDocument } from '../reports/verify-document.ts';
import { type NetworkOptions, withTransport } from './network.ts';

/** What to verify, and how strictly. */
export interface VerifyCallbackOptions extends NetworkOptions {
  /** The application's callback URL. */
  readonly url: string | URL;
  /** `authcli-client` unless told. */
  readonly clientId?: string;
  /** The cipher of the per-user key, in its notation or by a preset's name. */
  readonly cipher?: string;
  /** Only these checks: ids, groups such as `registration`, globs. */
  readonly check?: string | readonly string[];
  /** Not these. */
  readonly skip?: string | readonly string[];
  /** A `should` that doesn't hold fails, too. */
  readonly strict?: boolean;
  /** Ends the run after the first failure. */
  readonly bail?: boolean;
  /** Repeats a run: the same users, the same payloads. */
  readonly seed?: string;
  /** How many users sign up at the same time; 8 unless told. */
  readonly users?: number;
  /** User codes to use, for an application that accepts only users that it knows. */
  readonly userCodes?: readonly string[];
  /** Failures that are put up with for now, each with its reason. */
  readonly knownFailures?: readonly KnownFailure[];
  /** Wait so long for the endpoint to answer at all. */
  readonly waitMs?: number;
  /** Leave keys and passcodes in the report as they are. */
  readonly showSecrets?: boolean;
  /** Told of each check when it has ended. */
  readonly onCheck?: (check: Pick<CheckDocument, 'id' | 'title' | 'level' | 'status'>) => void;
}

/** What became of a run. */
export interface VerifyResult {
  /** At least one check could be judged, and none failed that isn't known. */
  readonly ok: boolean;
  /** The checks that failed, without those that are known. */
  readonly failures: readonly CheckDocument[];
  /** Why no request at all got an answer. */
  readonly unreachable?: Diagnosis;
  /** Everything, as plain data (schemas/verify-1.json), its secrets hidden. */
  readonly report: VerifyDocument;
}

/**
 * Checks a callback endpoint against the interface, as `authcli verify` does: signs test users up,
 * sends what is wrong on purpose, and says of each check whether it holds and how to mend it.
 *
 * @example
 * ```ts
 * import { formatReport, startApplication, verifyCallback } from 'authcli';
 *
 * await using application = await startApplication(); // yours, in a test of yours
 * const result = await verifyCallback({ url: application.url, clientId: application.clientId });
 * if (!result.ok) throw new Error(await formatReport(result.report));
 * console.log(`${result.report.summary.passed} checks passed`);
 * ```
 *
 * @returns what was found; `ok: false` also where nobody answered
 * @throws AuthcliError `usage` for options that can't be used, before anything is sent; the reason
 *   of `signal`
 */
export async function verifyCallback(options: VerifyCallbackOptions): Promise<VerifyResult> {
  // The engine and its catalogue are loaded by those alone who verify.
  const { runChecks } = await import('./verify-run.ts');
  return withTransport(options, (transport) => runChecks(transport, options));
}
