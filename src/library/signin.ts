import type { UserSecrets as KnownSecrets, PasscodeVerdict } from '../client/passcode.ts';
import { type SigninInput, type SigninOutcome, signIn as signInAt } from '../client/signin.ts';
import { Secret } from '../crypto/secret.ts';
import type { Diagnosis } from '../errors.ts';
import { AuthcliError } from '../errors.ts';
import { authenticateUrl } from '../protocol/endpoints.ts';
import { expiresAt, isTimeZone } from '../protocol/expiry.ts';
import { readCipher, required } from './arguments.ts';
import { type CallSummary, summariseCall } from './call-summary.ts';
import { type NetworkOptions, withTransport } from './network.ts';
import type { UserSecrets } from './users.ts';

/** Who signs in, and where. */
export interface SignInOptions extends NetworkOptions {
  /** The service's address, {auth_url}. */
  readonly authUrl: string | URL;
  readonly clientId: string;
  readonly secretKey: string;
  readonly ptnToken: string;
  /** The user who should be signing in; a token of another one fails with `other-user`. */
  readonly ptnCd?: string;
  /** The per-user key; without it the passcode isn't checked. */
  readonly key?: string;
  /** The passcode that was stored at the sign-up; without it the decrypted one isn't compared. */
  readonly superPasscode?: string;
  /** Looks key and passcode up once the service has named the user, instead of giving them. */
  readonly findUser?: (ptnCd: string) => UserSecrets | undefined | Promise<UserSecrets | undefined>;
  /** The cipher of the per-user key, in its notation or by a preset's name. */
  readonly cipher?: string;
  /** The time zone of `expire_dt`, an IANA name or offset; without it `expiresAt` stays undefined. */
  readonly expireTimeZone?: string;
}

interface SigninFacts {
  /** Whether `ptn_sp` was decrypted and is the stored passcode. */
  readonly passcode: PasscodeVerdict;
  /** The calls that were sent, in their order: the second only if the first succeeded. */
  readonly calls: readonly CallSummary[];
}

/** The user is signed in. */
export interface SigninSuccess extends SigninFacts {
  readonly ok: true;
  readonly passcode: 'match' | 'not-checked';
  /** The user that the service names. */
  readonly ptnCd: string;
  readonly acsToken: string;
  /** As it came, `yyyyMMddHH24miss`. */
  readonly expireDt: string;
  /** The same as an instant, where its time zone is given. */
  readonly expiresAt?: Date;
}

/** The sign-in failed, and why. */
export interface SigninFailure extends SigninFacts {
  readonly ok: false;
  readonly diagnosis: Diagnosis;
  readonly ptnCd?: string;
  /** The cipher that makes sense of `ptn_sp`, where it isn't the one that was given. */
  readonly fittingCipher?: string;
}

export type SigninResult = SigninSuccess | SigninFailure;

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
 * @returns what became of it; `ok: false` comes with a diagnosis, also where nobody answered
 * @throws AuthcliError `usage` for options that can't be used, before anything is sent; the reason
 *   of `signal`
 */
export async function signIn(options: SignInOptions): Promise<SigninResult> {
  const input = signinInput(options);
  return withTransport(options, async (transport) =>
    toResult(await signInAt(transport, input), options.expireTimeZone),
  );
}

function signinInput(options: SignInOptions): SigninInput {
  const { authUrl, clientId, secretKey, ptnToken, ptnCd, expireTimeZone } = options;
  if (expireTimeZone !== undefined && !isTimeZone(expireTimeZone)) {
    throw new AuthcliError('usage', `There is no time zone ${JSON.stringify(expireTimeZone)}.`, {
      hint: 'Give an IANA name such as Asia/Seoul, or an offset such as +09:00.',
    });
  }
  const url = required('authUrl', authUrl instanceof URL ? authUrl.href : authUrl, '{auth_url}');
  authenticateUrl(url);
  return {
    authUrl: url,
    clientId: required('clientId', clientId, 'the Application Client ID'),
    secretKey: Secret.text(required('secretKey', secretKey, 'the application server secret key')),
    ptnToken: Secret.text(required('ptnToken', ptnToken, 'the application authentication token')),
    expectedPtnCd: ptnCd,
    cipher: readCipher(options.cipher),
    lookUpUser: (named) => lookUp(named, options),
  };
}

async function lookUp(
  ptnCd: string,
  { key, superPasscode, findUser }: SignInOptions,
): Promise<KnownSecrets> {
  const found = await findUser?.(ptnCd);
  return {
    key: Secret.optional(key ?? found?.key),
    superPasscode: Secret.optional(superPasscode ?? found?.superPasscode),
  };
}

function toResult(outcome: SigninOutcome, timeZone: string | undefined): SigninResult {
  const { ok, token, authenticate, ptnCd, passcode, diagnosis, candidates } = outcome;
  const calls = [
    summariseCall('token', token),
    ...(authenticate === undefined ? [] : [summariseCall('authenticate', authenticate)]),
  ];
  if (ok && token.result !== undefined && (passcode === 'match' || passcode === 'not-checked')) {
    const { acsToken, expireDt } = token.result;
    const instant = expiresAt(expireDt, timeZone);
    const expiry = instant === null ? {} : { expiresAt: new Date(instant) };
    return { ok, ptnCd: token.result.ptnCd, passcode, calls, acsToken, expireDt, ...expiry };
  }
  if (diagnosis === undefined) throw new Error('a sign-in that failed has a diagnosis');
  const fittingCipher = candidates?.[0]?.cipher;
  return {
    ok: false,
    passcode,
    calls,
    diagnosis,
    ...(ptnCd !== undefined && { ptnCd }),
    ...(fittingCipher !== undefined && { fittingCipher }),
  };
}
