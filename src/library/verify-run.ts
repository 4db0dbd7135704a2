import { createRequire } from 'node:module';
import type { Transport } from '../client/exchange.ts';
import { dayOf, judgeBaseline } from '../conformance/baseline.ts';
import { checks as catalogue } from '../conformance/catalogue.ts';
import type { RunEvent, RunResult } from '../conformance/result.ts';
import { Run, type RunOptions, waitForResponse } from '../conformance/runner.ts';
import { selectChecks } from '../conformance/selection.ts';
import { AuthcliError } from '../errors.ts';
import { defaultClientId } from '../protocol/defaults.ts';
import { carriesCredentials, credentialForms } from '../protocol/secret-fields.ts';
import { Redactor } from '../reports/redact.ts';
import { toVerifyDocument, type VerifyDocument } from '../reports/verify-document.ts';
import { isGood } from '../reports/verify-words.ts';
import { environment, listOf, readCipher, readUrl } from './arguments.ts';
import type { VerifyCallbackOptions, VerifyResult } from './verify.ts';

/** Runs the selected checks over an open transport. */
export async function runChecks(
  transport: Transport,
  options: VerifyCallbackOptions,
): Promise<VerifyResult> {
  const redactor = redactorFor(options);
  const settings = runOptions(transport, options, redactor);
  await waitForResponse({ ...settings, waitMs: options.waitMs });
  const result = await new Run(settings, environment).start();
  options.signal?.throwIfAborted();
  return toResult(result, options, redactor);
}

function redactorFor({ headers = {} }: VerifyCallbackOptions): Redactor {
  const redactor = new Redactor();
  for (const [name, value] of Object.entries(headers)) {
    if (!carriesCredentials(name)) continue;
    for (const form of credentialForms(value)) redactor.add(form);
  }
  return redactor;
}

function runOptions(
  transport: Transport,
  options: VerifyCallbackOptions,
  redactor: Redactor,
): RunOptions {
  const { clientId = defaultClientId, users = 8, userCodes, signal, seed } = options;
  const { strict = false, bail = false, insecure = false, knownFailures = [] } = options;
  const { check, skip, onCheck } = options;
  requireUsers(users);
  return {
    catalogue,
    selected: selectChecks(catalogue, { check: listOf(check), skip: listOf(skip) }),
    transport,
    url: readUrl(options.url),
    clientId,
    cipher: readCipher(options.cipher),
    seed,
    insecure,
    strict,
    bail,
    userCodes,
    concurrentUsers: users,
    knownFailures,
    ...(signal && { signal }),
    emit: (event) => listen(event, redactor, onCheck),
  };
}

function requireUsers(users: number): void {
  if (Number.isInteger(users) && users >= 2 && users <= 200) return;
  throw new AuthcliError('usage', `The option users can't be ${users}.`, {
    hint: 'Give a whole number from 2 to 200.',
  });
}

function listen(
  event: RunEvent,
  redactor: Redactor,
  onCheck: VerifyCallbackOptions['onCheck'],
): void {
  if (event.type === 'secret') redactor.addFromPeer(event.value);
  if (event.type !== 'check-ended' || event.isControl) return;
  const { check, status } = event.result;
  onCheck?.({ id: check.id, title: check.title, level: check.level, status });
}

function toResult(
  result: RunResult,
  { knownFailures = [], insecure = false, showSecrets = false }: VerifyCallbackOptions,
  redactor: Redactor,
): VerifyResult {
  const whole = toVerifyDocument(result, {
    command: 'verify',
    target: result.url?.href ?? '',
    version: ownVersion(),
    insecure,
    repeatCommand: (id) => repeatCall(id, result),
    baseline: judgeBaseline(result.checks, knownFailures, dayOf(environment.now())),
  });
  const report = showSecrets ? whole : (redactor.json(whole) as VerifyDocument);
  const { checks, unreachable } = report;
  const failures = checks.filter(({ status, known }) => status === 'failed' && !known);
  return { ok: isGood(report), failures, report, ...(unreachable && { unreachable }) };
}

/** The call that repeats one check, or everything. */
function repeatCall(check: string | undefined, result: RunResult): string {
  const { url, clientId, cipher, seed, strict } = result;
  const options = { url: url?.href, check, clientId, cipher, seed, ...(strict && { strict }) };
  return `await verifyCallback(${JSON.stringify(options)})`;
}

function ownVersion(): string {
  const read = createRequire(import.meta.url);
  return (read('authcli/package.json') as { version: string }).version;
}
