import { type SignupOutcome, simulateSignup } from '../client/signup.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { Secret } from '../crypto/secret.ts';
import type { SignupOrder } from '../emulator/control.ts';
import { reveal } from '../reports/redact.ts';
import { openNetwork } from './network.ts';
import type { NetworkOptions } from './network-flags.ts';
import type { Session } from './session.ts';
import { keepSignup, signupInput } from './signup.ts';
import { reportSteps } from './simulation-report.ts';

/** What the emulated service signs users up with. */
interface SignupSettings extends NetworkOptions {
  readonly clientId: string;
  readonly cipher: Cipher;
}

/**
 * The sign-up that POST /_authcli/signup orders: towards the callback URL, and kept in the profile
 * like one of `simulate-signup`; `told` learns of its callbacks. Its result has the same fields, secrets hidden.
 */
export async function orderedSignup(
  order: SignupOrder,
  url: URL,
  settings: SignupSettings & { readonly told: (outcome: SignupOutcome) => void },
  session: Session,
): Promise<Readonly<Record<string, unknown>>> {
  const { ptnCd } = order;
  const person = {
    superPasscode: Secret.optional(order.superPasscode),
    email: Secret.optional(order.email),
    name: Secret.optional(order.name),
    phone: Secret.optional(order.phone),
  };
  const said = { ...nothingSaid, ptnCd, ...person };
  const input = await signupInput({ ...said, ...settings, url }, session);
  const transport = await openNetwork(settings, session);
  const outcome = await simulateSignup(transport, input).finally(() => transport.close());
  session.secrets.add(outcome.key);
  settings.told(outcome);
  await keepSignup(outcome, input, session);
  const { steps } = reportSteps(outcome.steps, session);
  const { ok, diagnosis, keyFingerprint = null } = outcome;
  const result = {
    ptn_cd: reveal(input.ptnCd),
    key_fingerprint: keyFingerprint,
    steps,
    signed_up: ok,
    ...(diagnosis && { diagnosis }),
  };
  return session.secrets.json(result) as Readonly<Record<string, unknown>>;
}

/** A sign-up of which nothing is said but the user. */
const nothingSaid = {
  privateKey: [],
  keyBits: undefined,
  freshKeyPair: false,
  noSave: false,
  dryRun: false,
  superPasscode: undefined,
  email: undefined,
  name: undefined,
  phone: undefined,
  userInfo: undefined,
  noUserInfo: false,
} as const;
