import { createRequire } from 'node:module';
import type { Transport } from '../client/exchange.ts';
import { dayOf, judgeBaseline } from '../conformance/baseline.ts';
import { checks as allChecks } from '../conformance/catalogue.ts';
import type { CheckDocument, VerifyDocument } from '../conformance/document.ts';
import { requirementsOf, requirementVersion } from '../conformance/requirements.ts';
import type { RunEvent, RunResult } from '../conformance/result.ts';
import { createRun } from '../conformance/runner.ts';
import { selectChecks } from '../conformance/selection.ts';
import { recogniseStack } from '../diagnosis/error-text.ts';
import { AuthcliError, type Stack } from '../errors.ts';
import { callbackUrl } from '../protocol/endpoints.ts';
import { carriesCredentials, credentialForms } from '../protocol/secret-fields.ts';
import { defaultClientId } from '../protocol/user.ts';
import { Redactor } from '../reports/redact.ts';
import { toVerifyDocument } from '../reports/verify-document.ts';
import { isGood } from '../reports/verify-words.ts';
import { environment, readCipher } from './options.ts';
import type { VerifyCallbackOptions, VerifyResult } from './verify.ts';

/** Runs the selected checks over an open transport. */
export async function runChecks(
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
