import { createRequire } from 'node:module';
import type { Transport } from '../client/exchange.ts';
import { dayOf, judgeBaseline, type KnownFailure } from '../conformance/baseline.ts';
import { checks as allChecks } from '../conformance/catalogue.ts';
import { requirementsOf, requirementVersion } from '../conformance/requirements.ts';
import type { RunEvent, RunResult } from '../conformance/result.ts';
import { createRun } from '../conformance/runner.ts';
import { selectChecks } from '../conformance/selection.ts';
import { recogniseStack } from '../diagnosis/error-text.ts';
import { AuthcliError, type Diagnosis, type Stack } from '../errors.ts';
import { defaultClientId } from '../protocol/defaults.ts';
import { callbackUrl } from '../protocol/endpoints.ts';
import { carriesCredentials, credentialForms } from '../protocol/secret-fields.ts';
import { plainLook } from '../reports/failure-text.ts';
import { Redactor } from '../reports/redact.ts';
import {
  type CheckDocument,
  toVerifyDocument,
  type VerifyDocument,
} from '../reports/verify-document.ts';
import { verifyLines } from '../reports/verify-human.ts';
import { reportKinds } from '../reports/verify-kinds.ts';
import { isGood } from '../reports/verify-words.ts';
import {
  checkOptions,
  environment,
  type NetworkOptions,
  readCipher,
  withTransport,
} from './options.ts';

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
  return withTransport(options, (transport) => runChecks(transport, options));
}

/** Runs the selected checks over an open transport. */
async function runChecks(
  transport: Transport,
  options: VerifyCallbackOptions,
): Promise<VerifyResult> {
  const { clientId = defaultClientId, users = 8, userCodes, signal, seed, waitMs } = options;
  const { check = [], skip = [], strict = false, bail = false, insecure = false } = options;
  const { headers = {}, knownFailures = [], showSecrets = false, onCheck } = options;
  const url = callbackUrl(String(options.url));
  const cipher = readCipher(options.cipher);
  if (!Number.isInteger(users) || users < 2 || users > 200) {
    const hint = 'Give a whole number from 2 to 200.';
    throw new AuthcliError('usage', `The option users can't be ${users}.`, { hint });
  }
  const requirements = requirementVersion(options.requirements);
  const catalogue = requirementsOf(allChecks, requirements);
  const selection = { check: [check].flat(), skip: [skip].flat() };
  const redactor = new Redactor();
  for (const [name, value] of Object.entries(headers)) {
    if (carriesCredentials(name)) for (const form of credentialForms(value)) redactor.add(form);
  }
  const settings = {
    catalogue,
    selected: selectChecks(catalogue, selection, allChecks),
    transport,
    url,
    clientId,
    cipher,
    seed,
    insecure,
    strict,
    bail,
    userCodes,
    concurrentUsers: users,
    knownFailures,
    waitMs,
    signal,
    emit: (event: RunEvent) => {
      if (event.type === 'secret') redactor.addFromPeer(event.value);
      if (event.type !== 'check-ended' || event.isControl) return;
      const { id, title, level } = event.result.check;
      onCheck?.({ id, title, level, status: event.result.status });
    },
  };
  const result = await createRun(settings, environment).start();
  signal?.throwIfAborted();
  /** The call that repeats one check, or everything. */
  const repeatCommand = (id?: string) => {
    const given = { url, check: id, clientId, cipher: result.cipher, seed: result.seed };
    const asked = { requirements: options.requirements, strict: strict || undefined };
    return `await verifyCallback(${JSON.stringify({ ...given, ...asked })})`;
  };
  const { version } = createRequire(import.meta.url)('authcli/package.json') as { version: string };
  const whole = toVerifyDocument(result, {
    command: 'verify',
    target: url.href,
    version,
    requirements,
    insecure,
    repeatCommand,
    baseline: judgeBaseline(result.checks, knownFailures, dayOf(environment.now())),
    stack: stackOf(result),
  });
  const report = showSecrets ? whole : (redactor.json(whole) as VerifyDocument);
  const { checks, unreachable } = report;
  const isWrong = ({ status, known }: CheckDocument) =>
    (status === 'failed' || status === 'incomplete') && known === undefined;
  return { ok: isGood(report), failures: checks.filter(isWrong), report, unreachable };
}

/** The language that a response shows, by a stack trace before any header. */
function stackOf({ exchanges }: RunResult): Stack | undefined {
  const responses = exchanges.flatMap(({ exchange }) => exchange.response ?? []);
  return responses
    .flatMap(({ body }) => recogniseStack([], body) ?? [])
    .concat(responses.flatMap(({ headers }) => recogniseStack(headers, new Uint8Array()) ?? []))[0];
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
  if (format === 'text') return `${verifyLines(report, plainLook(report.stack)).join('\n')}\n`;
  if (!formats.includes(format)) {
    const message = `format: ${String(format)} is not one of text, ${formats.join(', ')}.`;
    throw new AuthcliError('usage', message);
  }
  return reportKinds[format]({ document: report, json: report, har: undefined });
}
