import type { Transport } from '../../client/exchange.ts';
import { generateKeyPairLike } from '../../client/key-pair.ts';
import { explainRefusal, isRefused, mostRequests, mostTestUsers } from '../../client/refusal.ts';
import type { SignupInput, SignupStep } from '../../client/signup.ts';
import { defaultCipher } from '../../crypto/cipher.ts';
import type { PrivateKeyReading } from '../../crypto/key-reading.ts';
import { Secret } from '../../crypto/secret.ts';
import { applicationCodes } from '../../emulator/refusals.ts';
import type { Diagnosis } from '../../errors.ts';
import { generatePasscode } from '../../protocol/defaults.ts';
import { counted } from '../../text.ts';
import { flag } from '../args/options.ts';
import { emulatedRefusal } from '../emulated-refusal.ts';
import type { Failure } from '../failure.ts';
import type { Session } from '../session.ts';
import { cipherOrigin, probeCode, probePrefix } from './cipher-finding.ts';
import { keyPairs } from './signup.ts';

export const probeFlag = flag(
  '--probe',
  'with test users: if a callback is refused, find out why by changing one property at a time (on a terminal authcli asks); if the registration is accepted, check that the application decrypts it',
);

interface Simulation {
  readonly ok: boolean;
  readonly steps: readonly SignupStep[];
  readonly key?: Secret | undefined;
  readonly diagnosis?: Diagnosis | undefined;
}

interface ProbeOptions
  extends Pick<SignupInput, 'url' | 'clientId' | 'ptnCd'>,
    Partial<Pick<SignupInput, 'keyPair' | 'cipher' | 'superPasscode' | 'userInfo'>> {
  /** --probe: without asking. */
  readonly probe: boolean;
  readonly privateKey: readonly PrivateKeyReading[];
}

/** Likely ciphers; the application keeps a test user for each. */
const limit = 64;

/**
 * The verdict on a simulation after what a probe with test users shows: if a callback was refused and the user wants
 * it, why; if a registration was accepted, whether the application decrypts it.
 */
export async function probed<T extends Simulation>(
  outcome: T,
  options: ProbeOptions,
  transport: Transport,
  session: Session,
): Promise<T & { readonly diagnosis?: (Diagnosis & Pick<Failure, 'next'>) | undefined }> {
  const { ok, key, steps, diagnosis } = outcome;
  const { probe, privateKey, cipher = defaultCipher } = options;
  const { randomBytes, now } = session.context;
  const superPasscode = options.superPasscode ?? Secret.text(generatePasscode(randomBytes));
  const settings = { ...options, cipher, superPasscode, randomBytes };
  const step = steps.at(-1);
  if (ok) {
    if (!probe || key === undefined || step?.usedType !== '2') return outcome;
    const { causeOfAcceptance } = await import('./accepted-registration.ts');
    const cause = await causeOfAcceptance({ ...settings, key }, privateKey, transport, session);
    return cause === undefined ? outcome : { ...outcome, ok: false, diagnosis: cause };
  }
  if (diagnosis === undefined || step === undefined || !isRefused(step)) return outcome;
  // The application has said why: in its log, or by a code of the emulated one.
  const { log, situation } = diagnosis.evidence ?? {};
  const isSaid =
    (log !== undefined && situation !== undefined) ||
    emulatedRefusal(diagnosis, step, 'application', applicationCodes) !== undefined;
  if (!probe && isSaid) return outcome;
  const isRegistration = step.usedType === '2';
  const most = isRegistration ? mostTestUsers(limit) : mostRequests;
  if (!probe && !(await wantsProbe(most, session)))
    return { ...outcome, diagnosis: { ...diagnosis, next: { again: true, add: [['--probe']] } } };
  const pairs = options.keyPair ?? (await keyPairs({ privateKey, noSave: true }, session)).keyPair;
  const input = { ...settings, keyPair: pairs, now: now() };
  const progress = session.progress(`Probing ${options.url.href}`);
  const found = await explainRefusal(
    transport,
    { step, input, key },
    {
      inventsUsers: true,
      nextUserCode: () => probeCode(session),
      now,
      makeKeyPair: generateKeyPairLike,
      onKey: (value) => session.secrets.addFromPeer(value),
      onProgress: (users) =>
        progress.update(`${counted(users, 'test user')}: probing ${options.url.href}`),
      search: { limit, origin: await cipherOrigin(cipher, session) },
    },
  ).finally(() => progress.stop());
  const users = [...new Set(found.users)];
  const others = users.filter((code) => !code.startsWith(probePrefix));
  const codes = [`${probePrefix}…`, ...others].join(', ');
  session.note(`probed with ${counted(users.length, 'test user')} (${codes})`);
  const { untriedOf } = found;
  const next: Failure['next'] = untriedOf
    ? { command: 'cipher probe', add: [['--limit', String(untriedOf)]] }
    : undefined;
  return { ...outcome, diagnosis: found.diagnosis && { ...found.diagnosis, next } };
}

async function wantsProbe(most: number, session: Session): Promise<boolean> {
  const prompts = await session.prompts();
  if (prompts === undefined) return false;
  const message = `The callback was refused. Find out why, with up to ${most} test users (${probePrefix}…)?`;
  return prompts.confirm({ message, fallback: true });
}
