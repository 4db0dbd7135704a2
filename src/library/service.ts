import { encodeBase64Url } from '../bytes.ts';
import { signedUpUser, simulatedUser } from '../client/signup.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import type { SignupOrder } from '../emulator/control.ts';
import { emulatedService } from '../emulator/emulator.ts';
import { issuePtnToken } from '../emulator/tokens.ts';
import { AuthcliError } from '../errors.ts';
import { defaultClientId } from '../protocol/defaults.ts';
import { userInformationTexts } from '../protocol/user-info.ts';
import { orderedSignupDocument } from '../reports/exchange.ts';
import { Redactor } from '../reports/redact.ts';
import { checkOptions, environment, iterable, readCipher, readUrl } from './arguments.ts';
import { type EmulatorOptions, type RunningEmulator, startEmulator } from './emulator.ts';
import {
  runSignup,
  type Signup,
  type SignupResult,
  type SimulateSignupOptions,
  toSignupResult,
} from './signup.ts';
import { type ServiceUser, toServiceUser } from './users.ts';

export interface StartServiceOptions extends EmulatorOptions {
  /** `authcli-client` by default. */
  readonly clientId?: string;
  /** A random one by default. */
  readonly secretKey?: string;
  /** The cipher of the per-user key, in its notation or by a preset's name. */
  readonly cipher?: string;
  /** The default URL of `signUp`. */
  readonly callbackUrl?: string | URL;
  /** The users it knows from the start. */
  readonly users?: Iterable<ServiceUser>;
  /** The time zone of `expire_dt`, an IANA name or offset; UTC by default. */
  readonly expireTimeZone?: string;
  /** Of an `acs_token`; 300,000 by default. */
  readonly tokenTtlMs?: number;
  /** Of a `ptn_token`; 600,000 by default. */
  readonly ptnTokenTtlMs?: number;
}

/** Client id, cipher and callback URL are those of the service by default. */
export type SignUpOptions = Partial<SimulateSignupOptions>;

export interface RunningService extends RunningEmulator {
  /** {auth_url}. */
  readonly url: string;
  readonly clientId: string;
  readonly secretKey: string;
  /** Adds or replaces a user. */
  addUser(user: ServiceUser): void;
  /** Signs a user up as `simulateSignup` does, and adds them; throws `usage` without a URL too. */
  signUp(options?: SignUpOptions): Promise<SignupResult>;
  /** A `ptn_token` of that user, as the client library on their device gets it. */
  issuePtnToken(ptnCd: string): string;
}

/**
 * Starts the service on loopback: its two endpoints (4.2), and the sign-ups it would send.
 *
 * @example
 * ```ts
 * import { startApplication, startService } from 'authcli';
 *
 * await using application = await startApplication(); // yours, in a test of yours
 * await using service = await startService({ callbackUrl: application.url });
 * const user = await service.signUp({ ptnCd: 'alice' });
 * const ptnToken = service.issuePtnToken(user.ptnCd);
 * console.log(user.ok, ptnToken.length > 0, service.url.startsWith('http://127.0.0.1:'));
 * ```
 *
 * @throws AuthcliError `usage` for an unknown cipher, time zone or fault, or an address that can't be
 *   bound; the reason of `signal`
 */
export async function startService(options: StartServiceOptions = {}): Promise<RunningService> {
  checkOptions(options);
  const { clientId = defaultClientId, secretKey = encodeBase64Url(environment.randomBytes(24)) } =
    options;
  const known = new Map<string, ReturnType<typeof toServiceUser>>();
  const addUser = (user: ServiceUser): void => {
    const added = toServiceUser(user);
    known.set(added.ptnCd, added);
  };
  for (const user of iterable('users', options.users)) addUser(user);
  const secret = Secret.text(secretKey);
  const { callbackUrl, expireTimeZone: timeZone, tokenTtlMs, ptnTokenTtlMs } = options;
  const signupHere = signupsAt({ ...options, clientId }, addUser);
  const orderSignup = async ({ email, name, phone, ...order }: SignupOrder) => {
    const userInfo = { email, name, phone };
    const passcode = Secret.optional(order.superPasscode);
    const given = { ptnCd: order.ptnCd, superPasscode: passcode, userInfo };
    const user = simulatedUser(given, environment.randomBytes);
    const redactor = new Redactor();
    redactor.add(user.superPasscode);
    redactor.addUserInfo(...userInformationTexts(user.userInfo));
    redactor.show(user.ptnCd);
    const texts = {
      superPasscode: user.superPasscode.reveal(),
      userInfo: user.userInfo?.reveal(),
    };
    const { outcome } = await signupHere({ ptnCd: user.ptnCd, ...texts });
    return orderedSignupDocument(outcome, redactor);
  };
  const side = emulatedService(
    {
      clientId,
      secretKey: secret,
      cipher: readCipher(options.cipher),
      findUser: (ptnCd) => known.get(ptnCd),
      timeZone,
      tokenTtlMs,
      ptnTokenTtlMs,
      signUp: callbackUrl === undefined ? undefined : orderSignup,
    },
    environment,
  );
  const emulator = await startEmulator(side, options);
  return {
    ...emulator,
    url: emulator.origin,
    clientId,
    secretKey,
    addUser,
    signUp: async (signup = {}) => toSignupResult(await signupHere(signup)),
    issuePtnToken: (ptnCd) => issuePtnToken(ptnCd, { clientId, secretKey: secret }, environment),
  };
}

/** Signs users up with one key pair, which is generated for the first of them. */
function signupsAt(
  { clientId, cipher, callbackUrl }: StartServiceOptions,
  addUser: RunningService['addUser'],
): (options: SignUpOptions) => Promise<Signup> {
  let pair: Promise<RsaPrivateKey> | undefined;
  const onePair = (): Promise<RsaPrivateKey> => {
    pair ??= environment.generateKeyPair();
    return pair;
  };
  return async (options) => {
    checkOptions(options);
    const url = readUrl(options.url ?? callbackUrl ?? missingUrl());
    const signup = await runSignup({ clientId, cipher, ...options, url }, onePair);
    const user = signedUpUser(signup.outcome, signup.input);
    if (user !== undefined) {
      const superPasscode = user.superPasscode?.reveal();
      addUser({ ptnCd: user.ptnCd, key: user.key.reveal(), superPasscode });
    }
    return signup;
  };
}

function missingUrl(): never {
  throw new AuthcliError('usage', 'No callback URL is known to sign a user up at.', {
    hint: 'Give callbackUrl to startService, or url to signUp.',
  });
}
