import { createRequire } from 'node:module';
import { encodeHex } from '../bytes.ts';
import { carriesCredentials, credentialForms } from '../client/headers.ts';
import { generateKeyPair } from '../client/key-pair.ts';
import type { Transport } from '../client/transport.ts';
import { isKnownFailure, judgeBaseline } from '../conformance/baseline.ts';
import { checks as catalogue } from '../conformance/catalogue.ts';
import type { RunEvent } from '../conformance/events.ts';
import { createKeyPairs } from '../conformance/key-pairs.ts';
import type { RunResult } from '../conformance/result.ts';
import { Run, type RunOptions } from '../conformance/runner.ts';
import { selectChecks } from '../conformance/selection.ts';
import { givenUsers, inventUsers } from '../conformance/test-users.ts';
import { waitForAnswer } from '../conformance/wait.ts';
import { AuthcliError } from '../errors.ts';
import { defaultClientId } from '../protocol/stand-ins.ts';
import { Redactor } from '../reports/redact.ts';
import { toVerifyDocument, type VerifyDocument } from '../reports/verify-document.ts';
import { isGood } from '../reports/verify-words.ts';
import { listOf, readCipher, readUrl } from './arguments.ts';
import type { VerifyCallbackOptions, VerifyResult } from './verify.ts';
import { world } from './world.ts';

/**
 * Runs the checks that the options select, and makes the report.
 * @throws AuthcliError `usage` for options that can't be used, before anything is sent; the reason
 *   of the signal
 */
export async function runChecks(
  transport: Transport,
  options: VerifyCallbackOptions,
): Promise<VerifyResult> {
  const { waitMs, signal } = options;
  const redactor = redactorFor(options);
  const settings = runOptions(transport, options, redactor);
  if (waitMs !== undefined) {
    await waitForAnswer({ transport, url: settings.url, durationMs: waitMs, signal });
  }
  const result = await new Run(settings).start();
  signal?.throwIfAborted();
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
  const { clientId = defaultClientId, users = 8, userCodes, signal } = options;
  const { strict = false, bail = false, insecure = false, knownFailures = [] } = options;
  const { check, skip, seed = encodeHex(world.randomBytes(4)), onCheck } = options;
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
    keyPairs: createKeyPairs(generateKeyPair),
    users: userCodes === undefined ? inventUsers(seed) : givenUsers(userCodes),
    concurrentUsers: users,
    now: world.now,
    signal,
    isKnown: (result) => isKnownFailure(result.check, knownFailures, today()),
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
  if (event.type === 'secret') redactor.add(event.value);
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
    version: ownVersion(),
    insecure,
    repeatCommand: (id) => repeatCall(id, result),
    baseline: judgeBaseline(result.checks, knownFailures, today()),
  });
  const report = showSecrets ? whole : (redactor.json(whole) as VerifyDocument);
  const { checks, unreachable } = report;
  const failures = checks.filter(({ status, known }) => status === 'failed' && !known);
  return { ok: isGood(report), failures, report, ...(unreachable && { unreachable }) };
}

/** The call that runs one check again with the same users and payloads, or everything. */
function repeatCall(check: string | undefined, result: RunResult): string {
  const { url, clientId, cipher, seed, strict } = result;
  const options = { url: url.href, check, clientId, cipher, seed, ...(strict && { strict }) };
  return `await verifyCallback(${JSON.stringify(options)})`;
}

/** The day in UTC, as known failures name their last one. */
function today(): string {
  return new Date(world.now()).toISOString().slice(0, 10);
}

function ownVersion(): string {
  const read = createRequire(import.meta.url);
  return (read('authcli/package.json') as { version: string }).version;
}
