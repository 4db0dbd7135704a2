import { type SigninInput, type SigninOutcome, signIn as signInAt } from '../client/signin.ts';
import { Secret } from '../crypto/secret.ts';
import type { Diagnosis } from '../errors.ts';
import { authenticateUrl } from '../protocol/endpoints.ts';
import { expiresAt, toInstant } from '../protocol/expiry.ts';
import type { CallSummary, NetworkOptions } from './calls.ts';
import { checkOptions, readCipher, summariseCall, withTransport } from './options.ts';

/** The per-user key and passcode of a user, as far as known. */
export interface UserSecrets {
  readonly key?: string;
  /** As stored at the registration. */
  readonly superPasscode?: string;
}

export interface SignInOptions extends NetworkOptions {
  /** The service's address, {auth_url}. */
  readonly authUrl: string | URL;
  readonly clientId: string;
  readonly secretKey: string;
  readonly ptnToken: string;
  /** The expected user; a token of another one fails with `other-user`. */
  readonly ptnCd?: string;
  /** Without the per-user key the passcode isn't checked. */
  readonly key?: string;
  /** The passcode stored at the sign-up; without it the decrypted one isn't compared. */
  readonly superPasscode?: string;
  /** Looks up key and passcode of the user that the service names. */
  readonly findUser?: (ptnCd: string) => UserSecrets | undefined | Promise<UserSecrets | undefined>;
  /** The cipher of the per-user key, in its notation or by a preset's name. */
  readonly cipher?: string;
  /** The time zone of `expire_dt`, for `expiresAt`: an IANA name or offset. */
  readonly expireTimeZone?: string;
}

/** What became of `ptn_sp`: whether it was decrypted, and is the stored passcode. */
export type PasscodeVerdict = 'match' | 'mismatch' | 'undecryptable' | 'not-checked';

export type SigninResult = {
  /** The calls that were sent, in their order: the second only if the first succeeded. */
  readonly calls: readonly CallSummary[];
} & (
  | {
      readonly ok: true;
      /** Whether `ptn_sp` was decrypted and is the stored passcode. */
      readonly passcode: 'match' | 'not-checked';
      readonly ptnCd: string;
      readonly acsToken: string;
      /** As received, `yyyyMMddHH24miss`. */
      readonly expireDt: string;
      /** `expireDt` as an instant, if its time zone is given. */
      readonly expiresAt?: Date;
    }
  | {
      readonly ok: false;
      readonly passcode: PasscodeVerdict;
      readonly diagnosis: Diagnosis;
      readonly ptnCd?: string;
      /** The cipher that fits `ptn_sp`, if the given one doesn't. */
      readonly fittingCipher?: string;
    }
);

/**
 * Plays the application's server at a sign-in (1.3): exchanges the token, authenticates, decrypts
 * `ptn_sp` and compares it with the stored passcode.
 *
 * @example
 * ```ts
 * import { signIn, startApplication, startService } from 'authcli';
 *
 * await using application = await startApplication();
 * await using service = await startService({ callbackUrl: application.url });
 * const user = await service.signUp();
 * if (!user.ok) throw new Error(user.diagnosis.message);
 *
 * const result = await signIn({
 *   authUrl: service.url,
 *   clientId: service.clientId,
 *   secretKey: service.secretKey,
 *   ptnToken: service.issuePtnToken(user.ptnCd),
 *   key: user.key,
 *   superPasscode: user.superPasscode,
 * });
 * console.log(result.ok, result.passcode); // true match
 * ```
 *
 * @returns `ok: false` with a diagnosis also if there was no response
 * @throws AuthcliError `usage` for unusable options, before anything is sent; the reason of `signal`
 */
export async function signIn(options: SignInOptions): Promise<SigninResult> {
  checkOptions(options, 'authUrl', 'clientId', 'secretKey', 'ptnToken');
  const { clientId, secretKey, ptnToken, ptnCd, key, superPasscode, findUser } = options;
  const { expireTimeZone } = options;
  if (expireTimeZone !== undefined) toInstant(new Date(0), expireTimeZone); // an unknown one is refused
  const input: SigninInput = {
    authUrl: String(options.authUrl),
    clientId,
    secretKey: Secret.text(secretKey),
    ptnToken: Secret.text(ptnToken),
    expectedPtnCd: ptnCd,
    cipher: readCipher(options.cipher),
    lookUpUser: async (named) => {
      const found = await findUser?.(named);
      return {
        key: Secret.optional(key ?? found?.key),
        superPasscode: Secret.optional(superPasscode ?? found?.superPasscode),
      };
    },
  };
  authenticateUrl(input.authUrl);
  const outcome = await withTransport(options, (transport) => signInAt(transport, input));
  return toResult(outcome, expireTimeZone);
}

function toResult(outcome: SigninOutcome, timeZone: string | undefined): SigninResult {
  const { ok, token, authenticate, passcode, diagnosis, candidates } = outcome;
  const calls = [summariseCall('token', token)];
  if (authenticate !== undefined) calls.push(summariseCall('authenticate', authenticate));
  if (ok && token.result !== undefined && (passcode === 'match' || passcode === 'not-checked')) {
    const instant = expiresAt(token.result.expireDt, timeZone);
    return {
      ok,
      passcode,
      calls,
      ...token.result,
      expiresAt: instant ? new Date(instant) : undefined,
    };
  }
  if (diagnosis === undefined) throw new Error('a sign-in that failed has a diagnosis');
  const fittingCipher = candidates?.[0]?.cipher;
  return { ok: false, passcode, calls, diagnosis, ptnCd: outcome.ptnCd, fittingCipher };
}
