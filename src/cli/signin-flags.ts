import { headerOf } from '../client/exchange.ts';
import type { TokenOutcome, UserSecrets } from '../client/signin.ts';
import type { Secret } from '../crypto/secret.ts';
import { expiresAt, expiryReadings } from '../protocol/expiry.ts';
import { callReport } from '../reports/exchange.ts';
import { escapeControls } from '../text.ts';
import { cipherFlag } from './cipher-flag.ts';
import { keyFlag, ptnCdFlag, requiredClientIdFlag, secretKeyFlag } from './common-flags.ts';
import { findUser, noteKeyLength } from './known-user.ts';
import { networkFlags } from './network-flags.ts';
import { optional, required } from './options.ts';
import type { Session } from './session.ts';
import { expireTimeZoneFlag } from './time-zone-flag.ts';
import { authUrlFlag } from './url-flags.ts';
import { secretText } from './values.ts';

/** What every call to the service takes. */
export const serviceFlags = {
  authUrl: authUrlFlag,
  clientId: requiredClientIdFlag,
  secretKey: secretKeyFlag,
  ...networkFlags,
} as const;

/** The first call: the token, and how its expiry is read. */
export const tokenFlags = {
  ptnToken: required(
    '--ptn-token <token>',
    'the application authentication token, made by the client library',
    {
      parse: secretText,
      secret: true,
    },
  ),
  ptnCd: ptnCdFlag,
  expireTimeZone: expireTimeZoneFlag,
} as const;

/** The second call: what the passcode is decrypted with and compared to. */
export const passcodeFlags = {
  key: keyFlag,
  expectPasscode: optional(
    '--expect-passcode <passcode>',
    'the passcode to expect; default: the one stored here',
    {
      parse: secretText,
      secret: true,
    },
  ),
  cipher: cipherFlag,
} as const;

/** What is known of the user who signs in: what was given counts more than what is stored. */
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

/** The expiry of a token answer: as it came, and as an instant where the time zone is set. */
export function expiryReport(
  outcome: TokenOutcome,
  timeZone: string | undefined,
): { readonly expire_dt: string | null; readonly expires_at: string | null } {
  const text = outcome.result?.expireDt ?? outcome.reading?.seen.expireDt;
  return {
    expire_dt: text ?? null,
    expires_at: text === undefined ? null : expiresAt(text, timeZone),
  };
}

/** The first call as the JSON document shows it. */
export function tokenReport(outcome: TokenOutcome, timeZone: string | undefined) {
  return { ...callReport(outcome), ...expiryReport(outcome, timeZone) };
}

/** How people may read the expiry while no time zone is set (decisions: time zone of expire_dt). */
export function expiryText(
  outcome: TokenOutcome,
  timeZone: string | undefined,
  session: Session,
): string | undefined {
  const { expire_dt: text, expires_at: instant } = expiryReport(outcome, timeZone);
  if (text === null) return undefined;
  if (instant !== null) return `${text} (${instant})`;
  const readings = expiryReadings(text, {
    localTimeZone: session.context.localTimeZone(),
    dateHeader: headerOf(outcome.exchange.answer?.headers ?? [], 'date'),
  });
  if (readings === undefined) return escapeControls(text);
  const suggested =
    readings.suggested === undefined
      ? ''
      : `; the answer's Date header suggests ${readings.suggested.offset}`;
  return `${text} (time zone not set: ${readings.utc} if it is UTC, ${readings.local} if it is local${suggested})`;
}
