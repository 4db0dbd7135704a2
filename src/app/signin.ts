import type { Transport } from '../client/exchange.ts';
import { type SigninInput, type SigninOutcome, signIn } from '../client/signin.ts';
import { Secret } from '../crypto/secret.ts';
import { issuePtnToken } from '../emulator/tokens.ts';
import type { Environment, Secrets } from './environment.ts';

/** A sign-in at the emulated service, for which authcli issues the `ptn_token`. */
export interface EmulatedSigninOptions extends Omit<SigninInput, 'ptnToken'> {
  readonly ptnCd: string;
}

/** Issues a `ptn_token`, as the client library on the user's device gets it. */
export function issueToken(
  { ptnCd, clientId, secretKey }: Pick<EmulatedSigninOptions, 'ptnCd' | 'clientId' | 'secretKey'>,
  { now, randomBytes }: Pick<Environment, 'now' | 'randomBytes'>,
  secrets?: Secrets,
): string {
  const token = issuePtnToken(ptnCd, { clientId, secretKey }, { now: now(), randomBytes });
  secrets?.add(token);
  return token;
}

/** Signs a user in with a token issued here; its tokens are reported as secrets. */
export async function signInWithIssuedToken(
  transport: Transport,
  options: EmulatedSigninOptions,
  environment: Pick<Environment, 'now' | 'randomBytes'>,
  secrets: Secrets,
): Promise<SigninOutcome> {
  const ptnToken = Secret.text(issueToken(options, environment, secrets));
  const outcome = await signIn(transport, { ...options, ptnToken });
  secrets.addFromPeer(outcome.token.result?.acsToken);
  return outcome;
}
