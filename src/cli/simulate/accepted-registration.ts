import { encodeHex } from '../../bytes.ts';
import type { Transport } from '../../client/exchange.ts';
import type { RegistrationOutcome } from '../../client/outcome.ts';
import { type RegistrationInput, register } from '../../client/signup.ts';
import { checks as catalogue } from '../../conformance/catalogue.ts';
import type { RunEvent } from '../../conformance/result.ts';
import { Run, type RunTools } from '../../conformance/runner.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import type { RsaPrivateKey } from '../../crypto/rsa-key.ts';
import type { Diagnosis } from '../../errors.ts';
import type { Redactor } from '../../reports/redact.ts';
import { counted, escapeControls } from '../../text.ts';
import type { Session } from '../session.ts';
import { probeKeyPairs, probePrefix } from './cipher-finding.ts';
import type { ProbeSettings } from './probe.ts';

/**
 * Why an accepted registration is worth nothing: the application accepts from test users what it must refuse.
 * Then sends the registration once more, for applications that keep one passcode for all users.
 *
 * @returns undefined where the application decrypts as it should, or nothing is certain, which is noted
 */
export async function causeOfAcceptance(
  registration: RegistrationInput,
  { privateKey }: Pick<ProbeSettings, 'privateKey'>,
  transport: Transport,
  session: Session,
): Promise<Diagnosis | undefined> {
  const { url, clientId, cipher, ptnCd } = registration;
  const { context, secrets } = session;
  const { keyPair } = await probeKeyPairs(privateKey, session);
  const progress = session.progress(`Probing ${url.href}`);
  const settings = { url, clientId, cipher, keyPair, prefix: probePrefix, signal: context.signal };
  const onProgress = (requests: number) =>
    progress.update(`${counted(requests, 'request')}: probing ${url.href}`);
  const found = await findMisreading(
    transport,
    { ...settings, onProgress },
    context,
    secrets,
  ).finally(() => progress.stop());
  context.signal.throwIfAborted();
  const [cause, ...others] = found.diagnoses;
  const again = await register(transport, registration);
  const users = `probed with ${counted(found.testUsers, 'test user')} (${probePrefix}…)`;
  session.note(again.ok ? `${users}, then registered the user again` : users);
  if (cause === undefined) {
    const clear = 'the probe found nothing wrong with how the application decrypts';
    for (const note of found.notes.length > 0 ? found.notes : [clear]) session.note(note);
  }
  if (!again.ok) session.note(refusedAgain(ptnCd, again));
  for (const other of others) await session.warnOf(other);
  return cause;
}

function refusedAgain(ptnCd: string, { diagnosis }: RegistrationOutcome): string {
  return `the registration of ${escapeControls(ptnCd)}, sent once more after the probe, was refused (${diagnosis?.code}): if the sign-in fails, run simulate-signup again`;
}

/** The checks whose requests only an application that misreads valid registrations accepts. */
const checkIds: readonly string[] = ['registration/uses-iv', 'registration/rejects-undecryptable'];

/** More than the checks and their controls use. */
const userCodes = 16;

interface MisreadingInput {
  readonly url: URL;
  readonly clientId: string;
  readonly cipher: Cipher;
  readonly keyPair: RsaPrivateKey;
  /** The prefix of the user codes of the test users. */
  readonly prefix: string;
  readonly signal?: AbortSignal;
  /** Called after each response. */
  readonly onProgress?: (requests: number) => void;
}

interface MisreadingOutcome {
  /** What the application makes of a valid registration, where that is wrong; the cause first. */
  readonly diagnoses: readonly Diagnosis[];
  /** What can't be determined, with the reason. */
  readonly notes: readonly string[];
  readonly testUsers: number;
}

/**
 * Whether an application that accepts a valid registration decrypts it too: sends what it must refuse, by the
 * checks of `verify` with their controls, for test users.
 */
async function findMisreading(
  transport: Transport,
  { keyPair, prefix, onProgress, ...settings }: MisreadingInput,
  environment: RunTools,
  secrets: Redactor,
): Promise<MisreadingOutcome> {
  const { randomBytes } = environment;
  let requests = 0;
  const emit = (event: RunEvent): void => {
    if (event.type === 'secret') secrets.add(event.value);
    if (event.type !== 'exchange') return;
    requests += 1;
    onProgress?.(requests);
  };
  const run = new Run(
    {
      ...settings,
      ...{ catalogue, transport, emit },
      selected: catalogue.filter(({ id }) => checkIds.includes(id)),
      userCodes: Array.from({ length: userCodes }, () => prefix + encodeHex(randomBytes(6))),
      ...{ insecure: false, strict: false, bail: false, knownFailures: [] },
    },
    { ...environment, generateKeyPair: async () => keyPair },
  );
  const { checks, controls, users } = await run.start();
  const lacking = controls.flatMap(({ check, fault }) =>
    fault === undefined ? [] : `test users can't be registered (${check.id}): ${fault.observed}`,
  );
  const skipped = checks.flatMap(({ check, reason }) =>
    reason === undefined ? [] : `${check.id} was skipped: ${reason}`,
  );
  return {
    diagnoses: checks.flatMap(({ fault }) => fault?.diagnosis ?? []),
    notes: lacking.length > 0 ? lacking.slice(0, 1) : skipped,
    testUsers: users.length,
  };
}
