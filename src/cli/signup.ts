import type { SignupInput, SignupOutcome } from '../client/signup.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { keyPairs } from './service-key-pair.ts';
import type { Session } from './session.ts';
import { passcode, userCode, userInformationText } from './simulated-user.ts';
import type { KeyPairOptions, RegistrationOptions } from './simulation-flags.ts';

/** What a sign-up is told; everything left out is made up. */
export interface SignupOptions extends KeyPairOptions, RegistrationOptions {
  readonly url: URL;
  readonly clientId: string;
  readonly ptnCd?: string;
  readonly cipher: Cipher;
}

/** What the service's side of a sign-up needs, its secrets known to the redactor. */
export async function signupInput(options: SignupOptions, session: Session): Promise<SignupInput> {
  const { url, clientId, cipher } = options;
  const ptnCd = userCode(options.ptnCd, session);
  return {
    url,
    clientId,
    ptnCd,
    ...(await keyPairs(options, session)),
    superPasscode: passcode(options.superPasscode, session),
    userInfo: userInformationText(options, ptnCd, session),
    cipher,
    randomBytes: session.context.randomBytes,
    now: session.context.now(),
  };
}

/** Keeps the user of a sign-up: known after the key exchange, registered after registration complete. */
export async function keepSignup(
  outcome: SignupOutcome,
  { ptnCd, superPasscode, userInfo }: SignupInput,
  session: Session,
): Promise<void> {
  const [first, second] = outcome.steps;
  const { key } = outcome;
  if (first?.ok !== true || key === undefined) return;
  const { users } = await session.state();
  const registered = second?.ok === true;
  await users.put(
    registered
      ? {
          ptnCd,
          key,
          superPasscode,
          deliveredPasscode: superPasscode,
          userInfo,
          state: 'registered',
        }
      : { ptnCd, key, state: 'known' },
  );
}
