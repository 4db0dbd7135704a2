import type { CheckDocument, KnownFailure, VerifyDocument } from '../conformance/document.ts';
import { AuthcliError, type Diagnosis } from '../errors.ts';
import { plainLook } from '../reports/failure-text.ts';
import type { NetworkOptions } from './calls.ts';
import { checkOptions, withTransport } from './options.ts';

export interface VerifyCallbackOptions extends NetworkOptions {
  /** The application's callback URL. */
  readonly url: string | URL;
  /** `authcli-client` by default. */
  readonly clientId?: string;
  /** The cipher of the per-user key, in its notation or by a preset's name. */
  readonly cipher?: string;
  /** Only these checks: ids, groups such as `registration`, globs. */
  readonly check?: string | readonly string[];
  readonly skip?: string | readonly string[];
  /** The version of the requirements, so that an update adds no check; the newest by default. */
  readonly requirements?: number;
  /** A `should` that isn't met fails too. */
  readonly strict?: boolean;
  /** Ends the run after the first failure. */
  readonly bail?: boolean;
  /** Repeats a run with the same users and payloads. */
  readonly seed?: string;
  /** How many users sign up at the same time; 8 by default. */
  readonly users?: number;
  /** For an application that accepts only users it knows. */
  readonly userCodes?: readonly string[];
  readonly knownFailures?: readonly KnownFailure[];
  /** How long to wait until the endpoint handles POST requests. */
  readonly waitMs?: number;
  /** Don't hide keys and passcodes in the report. */
  readonly showSecrets?: boolean;
  /** Called when a check has ended. */
  readonly onCheck?: (check: Pick<CheckDocument, 'id' | 'title' | 'level' | 'status'>) => void;
}

export interface VerifyResult {
  /** Every `must` was tested, and what failed is known. */
  readonly ok: boolean;
  /** What failed or could not be tested, without the known ones. */
  readonly failures: readonly CheckDocument[];
  /** Why no request got a response. */
  readonly unreachable?: Diagnosis;
  /** Everything, without secrets (schemas/verify-1.json). */
  readonly report: VerifyDocument;
}

/**
 * Checks a callback endpoint against the interface, as `authcli verify` does: signs up test users,
 * sends malformed requests, and reports which checks fail and how to fix that.
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
 * @throws AuthcliError `usage` for unusable options, before anything is sent; the reason of `signal`
 */
export async function verifyCallback(options: VerifyCallbackOptions): Promise<VerifyResult> {
  checkOptions(options, 'url');
  const { runChecks } = await import('./verify-run.ts');
  return withTransport(options, (transport) => runChecks(transport, options));
}

export type ReportFormat = 'text' | (typeof formats)[number];

const formats = ['json', 'junit', 'html', 'markdown'] as const;

/**
 * Formats a report of `verifyCallback` for people (the default) or for pipelines.
 *
 * @example
 * ```ts
 * import { formatReport, startApplication, verifyCallback } from 'authcli';
 *
 * await using application = await startApplication({ faults: ['oaep-sha1'] });
 * const check = 'key-exchange/wraps-key';
 * const { report } = await verifyCallback({ url: application.url, check });
 * // what failed, why, and the call that does it right:
 * console.log(await formatReport(report));
 * const junit = await formatReport(report, 'junit');
 * console.log(junit.startsWith('<?xml'));
 * ```
 * @throws AuthcliError `usage` for another format
 */
export async function formatReport(
  report: VerifyDocument,
  format: ReportFormat = 'text',
): Promise<string> {
  if (!Array.isArray(report?.checks))
    throw new AuthcliError('usage', 'The report is not one of verifyCallback.');
  if (format === 'text') {
    const { verifyLines } = await import('../reports/verify-human.ts');
    return `${verifyLines(report, plainLook(report.stack)).join('\n')}\n`;
  }
  if (!formats.includes(format)) {
    const message = `format: ${String(format)} is not one of text, ${formats.join(', ')}.`;
    throw new AuthcliError('usage', message);
  }
  const { reportKinds } = await import('../reports/verify-kinds.ts');
  return reportKinds[format]({ document: report, json: report, har: undefined });
}
