import { findMisreading } from '../../app/misreading.ts';
import { type RegistrationInput, type RegistrationOutcome, register } from '../../client/signup.ts';
import type { Transport } from '../../client/transport.ts';
import type { Diagnosis } from '../../errors.ts';
import { counted, escapeControls } from '../../text.ts';
import type { Session } from '../session.ts';
import { probeKeyPairs, probePrefix } from './cipher-finding.ts';
import type { ProbeSettings } from './failed-registration.ts';

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
