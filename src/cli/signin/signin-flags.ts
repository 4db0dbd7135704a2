import type { UserSecrets } from '../../client/passcode.ts';
import type { Secret } from '../../crypto/secret.ts';
import {
  authUrlFlag,
  cipherFlag,
  expireTimeZoneFlag,
  keyFlag,
  ptnCdFlag,
  requiredClientIdFlag,
  secretKeyFlag,
} from '../args/flags.ts';
import { networkFlags } from '../args/network-flags.ts';
import { optional, required } from '../args/options.ts';
import { secretText } from '../args/values.ts';
import type { Session } from '../session.ts';
import { findUser, noteKeyLength } from '../simulate/known-user.ts';

export const serviceFlags = {
  authUrl: authUrlFlag,
  clientId: requiredClientIdFlag,
  secretKey: secretKeyFlag,
  ...networkFlags,
} as const;

export const tokenFlags = {
  ptnToken: required(
    '--ptn-token <token>',
    'the application authentication token from the client library',
    { parse: secretText, secret: true },
  ),
  ptnCd: ptnCdFlag,
  expireTimeZone: expireTimeZoneFlag,
} as const;

export const passcodeFlags = {
  key: keyFlag,
  expectPasscode: optional(
    '--expect-passcode <passcode>',
    'the expected passcode (default: the stored one)',
    { parse: secretText, secret: true },
  ),
  cipher: cipherFlag,
} as const;

/** The secrets of the user: those given, else those stored. */
export async function userSecrets(
  ptnCd: string | undefined,
  given: { readonly key?: Secret; readonly expectPasscode?: Secret },
  session: Session,
): Promise<UserSecrets> {
  const stored = ptnCd === undefined ? undefined : await findUser(ptnCd, session);
  const key = given.key ?? stored?.key;
  if (key !== undefined) noteKeyLength(key, session);
  return { key, superPasscode: given.expectPasscode ?? stored?.superPasscode };
}
