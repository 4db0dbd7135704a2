import type { Transport } from '../../client/exchange.ts';
import type { RegistrationInput, SignupStep } from '../../client/signup.ts';
import type { PrivateKeyReading } from '../../crypto/key-reading.ts';
import type { Secret } from '../../crypto/secret.ts';
import { mayBeDecryption, narrowRegistration } from '../../diagnosis/registration-cause.ts';
import type { Diagnosis } from '../../errors.ts';
import { counted } from '../../text.ts';
import { flag } from '../args/options.ts';
import type { Failure } from '../failure.ts';
import type { Session } from '../session.ts';
import { cipherOrigin, findCipher, probePrefix } from './cipher-finding.ts';

export const probeFlag = flag(
  '--probe',
  'with test users: if the registration fails, find the cipher that the application expects (on a terminal authcli asks); if it is accepted, check that the application decrypts it',
);

interface Registration {
  readonly ok: boolean;
  readonly steps: readonly SignupStep[];
  readonly key?: Secret | undefined;
  readonly diagnosis?: Diagnosis | undefined;
}

interface ProbeOptions extends Omit<RegistrationInput, 'key'> {
  /** --probe: without asking. */
  readonly probe: boolean;
  readonly privateKey: readonly PrivateKeyReading[];
}

/** Likely ciphers; the application keeps a test user for each. */
const limit = 64;

/**
 * The verdict on a registration after what a probe with test users shows: if it failed, where the cipher may be the
 * cause and the user wants it; if it was accepted, whether the application decrypts it.
 */
export async function probed<T extends Registration>(
  outcome: T,
  options: ProbeOptions,
  transport: Transport,
  session: Session,
): Promise<T & { readonly diagnosis?: (Diagnosis & Pick<Failure, 'next'>) | undefined }> {
  const { ok, key, steps, diagnosis } = outcome;
  const { probe, privateKey, cipher } = options;
  if (ok) {
    if (!probe || key === undefined) return outcome;
    const { causeOfAcceptance } = await import('./accepted-registration.ts');
    const cause = await causeOfAcceptance({ ...options, key }, privateKey, transport, session);
    return cause === undefined ? outcome : { ...outcome, ok: false, diagnosis: cause };
  }
  const last = steps.at(-1);
  if (diagnosis === undefined || last?.usedType !== '2') return outcome;
  if (!mayBeDecryption(diagnosis, last.exchange.response?.status)) return outcome;
  if (!probe && !(await wantsProbe(session)))
    return { ...outcome, diagnosis: { ...diagnosis, next: { again: true, add: [['--probe']] } } };
  const noUserInfo = options.userInfo === undefined;
  const settings = { ...options, userInfo: undefined, noUserInfo, limit };
  const found = await findCipher(settings, transport, session);
  session.note(`probed with ${counted(found.testUsers, 'test user')} (${probePrefix}…)`);
  const origin = await cipherOrigin(cipher, session);
  return { ...outcome, diagnosis: narrowRegistration(diagnosis, found, { cipher, origin }) };
}

async function wantsProbe(session: Session): Promise<boolean> {
  const prompts = await session.prompts();
  if (prompts === undefined) return false;
  const message = `The registration failed. Find out which cipher the application expects, with up to ${limit} test users (${probePrefix}…)?`;
  return prompts.confirm({ message, fallback: true });
}
