import type { Transport } from '../../client/exchange.ts';
import type { RegistrationInput, SignupStep } from '../../client/signup.ts';
import type { PrivateKeyReading } from '../../crypto/key-reading.ts';
import type { Secret } from '../../crypto/secret.ts';
import { mayBeDecryption, narrowRegistration } from '../../diagnosis/registration-cause.ts';
import type { Diagnosis } from '../../errors.ts';
import { counted } from '../../text.ts';
import { toggle } from '../args/options.ts';
import type { Failure } from '../failure.ts';
import type { Session } from '../session.ts';
import { cipherOrigin, findCipher, probePrefix } from './cipher-finding.ts';

export const probeFlag = toggle(
  '--probe',
  'with test users: if the registration fails, find the cipher that the application expects (on a terminal authcli asks); if it is accepted, check that the application decrypts it',
);

interface Registration {
  readonly ok: boolean;
  readonly steps: readonly SignupStep[];
  readonly key?: Secret | undefined;
  readonly diagnosis?: Diagnosis | undefined;
}

type ProbeOptions = ProbeSettings & Omit<RegistrationInput, 'key'>;

/** The verdict on a registration after what a probe with test users shows, where the user wants it. */
export async function probed<T extends Registration>(
  outcome: T,
  options: ProbeOptions,
  transport: Transport,
  session: Session,
): Promise<T & { readonly diagnosis?: (Diagnosis & Pick<Failure, 'next'>) | undefined }> {
  const { ok, key } = outcome;
  if (!ok) {
    const diagnosis = await causeOfFailure(outcome, options, transport, session);
    return { ...outcome, diagnosis };
  }
  if (!options.probe || key === undefined) return outcome;
  const { causeOfAcceptance } = await import('./accepted-registration.ts');
  const diagnosis = await causeOfAcceptance({ ...options, key }, options, transport, session);
  return diagnosis === undefined ? outcome : { ...outcome, ok: false, diagnosis };
}

interface FailedSignup {
  readonly steps: readonly SignupStep[];
  readonly diagnosis?: Diagnosis | undefined;
}

export interface ProbeSettings
  extends Pick<RegistrationInput, 'url' | 'clientId' | 'cipher' | 'userInfo'> {
  /** --probe: without asking. */
  readonly probe: boolean;
  readonly privateKey: readonly PrivateKeyReading[];
}

/** Likely ciphers; the application keeps a test user for each. */
const limit = 64;

/**
 * Why a registration failed: what a probe with test users shows, where the cipher may be the cause and the
 * user wants it; else what the response shows.
 */
async function causeOfFailure(
  { steps, diagnosis }: FailedSignup,
  { probe, ...settings }: ProbeSettings,
  transport: Transport,
  session: Session,
): Promise<(Diagnosis & Pick<Failure, 'next'>) | undefined> {
  const last = steps.at(-1);
  const status = last?.exchange.response?.status;
  if (diagnosis === undefined || last?.usedType !== '2') return diagnosis;
  if (!mayBeDecryption(diagnosis, status)) return diagnosis;
  if (!probe && !(await wantsProbe(session))) {
    return { ...diagnosis, next: { again: true, add: [['--probe']] } };
  }
  const noUserInfo = settings.userInfo === undefined;
  const options = { ...settings, userInfo: undefined, noUserInfo, limit };
  const outcome = await findCipher(options, transport, session);
  session.note(`probed with ${counted(outcome.testUsers, 'test user')} (${probePrefix}…)`);
  const { cipher } = settings;
  const origin = await cipherOrigin(cipher, session);
  return narrowRegistration(diagnosis, outcome, { cipher, origin });
}

async function wantsProbe(session: Session): Promise<boolean> {
  const prompts = await session.prompts();
  if (prompts === undefined) return false;
  const message = `The registration failed. Find out which cipher the application expects, with up to ${limit} test users (${probePrefix}…)?`;
  return prompts.confirm({ message, fallback: true });
}
