import type { Transport } from '../../client/exchange.ts';
import {
  type ExaminationTools,
  explainRefusal,
  isRefused,
  mostRequests,
  mostTestUsers,
} from '../../client/refusal.ts';
import type { SignupInput, SignupStep } from '../../client/signup.ts';
import { defaultCipher } from '../../crypto/cipher.ts';
import { Secret } from '../../crypto/secret.ts';
import { isSaid } from '../../diagnosis/registration-cause.ts';
import type { Diagnosis } from '../../errors.ts';
import { generatePasscode } from '../../protocol/user.ts';
import { counted } from '../../text.ts';
import { flag } from '../args/options.ts';
import { emulatedRefusal } from '../emulated-refusal.ts';
import type { Failure } from '../failure.ts';
import type { Session } from '../session.ts';
import { cipherOrigin, probeCode, probePrefix } from './cipher-finding.ts';
import { keyPairs, type Simulation } from './signup.ts';

export const probeFlag = flag(
  '--probe',
  'with test users: if a callback is refused, find out why by changing one property at a time (on a terminal authcli asks); if the registration is accepted, check that the application decrypts it',
);

/** What was sent, as far as a probe repeats it. */
export type ProbeInput = Pick<SignupInput, 'url' | 'clientId' | 'ptnCd'> & Partial<SignupInput>;

/** Likely ciphers; the application keeps a test user for each. */
const limit = 64;

/**
 * The verdict on a simulation after what a probe with test users shows: if a callback was refused and the user wants
 * it, why; if a registration was accepted, whether the application decrypts it.
 */
export async function probed(
  outcome: Simulation,
  probe: boolean,
  transport: Transport,
  session: Session,
): Promise<Simulation> {
  const { ok, key, steps, diagnosis, input: sent } = outcome;
  const { url, cipher = defaultCipher } = sent;
  const { randomBytes, now } = session.context;
  const step = steps.at(-1);
  if (step === undefined) return outcome;
  if (ok ? !probe || !key || step.usedType === '1' : diagnosis === undefined || !isRefused(step))
    return outcome;
  if (diagnosis !== undefined && !ok) {
    // The application has said why: in its words, its log, or by a code of the emulated one.
    if (isSaid(diagnosis)) return outcome;
    const { log, situation } = diagnosis.evidence ?? {};
    const isKnown =
      (log !== undefined && situation !== undefined) ||
      emulatedRefusal(diagnosis, step, 'application') !== undefined;
    if (!probe && isKnown) return outcome;
    if (!probe && !(await wantsProbe(step, session)))
      return { ...outcome, diagnosis: { ...diagnosis, next: { again: true, add: [['--probe']] } } };
  }
  const keyPair = sent.keyPair ?? (await keyPairs({ noSave: true }, session)).keyPair;
  const superPasscode = sent.superPasscode ?? Secret.text(generatePasscode(randomBytes));
  const input = { ...sent, cipher, superPasscode, randomBytes, keyPair, now: now() };
  const tools: ExaminationTools = {
    inventsUsers: true,
    nextUserCode: () => probeCode(session),
    onKey: (value) => session.secrets.addFromPeer(value),
    onProgress: (users) => progress.update(`${counted(users, 'test user')}: probing ${url.href}`),
    search: { limit, origin: await cipherOrigin(cipher, session) },
  };
  const progress = session.progress(`Probing ${url.href}`);
  if (ok && key !== undefined) {
    const { causeOfAcceptance } = await import('./accepted-registration.ts');
    const examined = causeOfAcceptance({ step, input, key }, tools, transport, session);
    const cause = await examined.finally(() => progress.stop());
    return cause === undefined ? outcome : { ...outcome, ok: false, diagnosis: cause };
  }
  const examined = explainRefusal(transport, { step, input, key }, tools);
  const { users, untriedOf, diagnosis: found } = await examined.finally(() => progress.stop());
  const others = users.filter((code) => !code.startsWith(probePrefix));
  const codes = [`${probePrefix}…`, ...others].join(', ');
  session.note(`probed with ${counted(users.length, 'test user')} (${codes})`);
  return { ...outcome, diagnosis: found && { ...found, next: nextAfter(found, untriedOf) } };
}

/** Once what was proven is fixed, the whole contract; where a search was cut off, the rest of it. */
function nextAfter({ confidence }: Diagnosis, untriedOf: number | undefined): Failure['next'] {
  if (untriedOf) return { command: 'cipher probe', add: [['--limit', String(untriedOf)]] };
  return confidence === 'certain' ? { command: 'verify' } : undefined;
}

async function wantsProbe({ usedType }: SignupStep, session: Session): Promise<boolean> {
  const prompts = await session.prompts();
  if (prompts === undefined) return false;
  const most = usedType === '2' ? mostTestUsers(limit) : mostRequests;
  const message = `The callback was refused. Find out why, with up to ${most} test users (${probePrefix}…)?`;
  return prompts.confirm({ message, fallback: true });
}
