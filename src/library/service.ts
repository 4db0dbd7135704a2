import { encodeBase64Url } from '../bytes.ts';
import { generateKeyPair } from '../client/key-pair.ts';
import { exportPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import type { SignupOrder } from '../emulator/control.ts';
import { issuePtnToken } from '../emulator/ptn-token.ts';
import { createService, handleServiceCall } from '../emulator/service.ts';
import { AuthcliError } from '../errors.ts';
import { defaultClientId } from '../protocol/stand-ins.ts';
import { Redactor } from '../reports/redact.ts';
import { readCipher, readUrl } from './arguments.ts';
import { type EmulatorOptions, type RunningEmulator, startEmulator } from './emulator.ts';
import { type SignupResult, type SimulateSignupOptions, simulateSignup } from './signup.ts';
import { type ServiceUser, toServiceUser } from './users.ts';
import { world } from './world.ts';

/** What the emulated service is set to. */
export interface StartServiceOptions extends EmulatorOptions {
  /** `authcli-client` unless told. */
  readonly clientId?: string;
  /** A random one unless told. */
  readonly secretKey?: string;
  /** The cipher of the per-user key, in its notation or by a preset's name. */
  readonly cipher?: string;
  /** Where `signUp` sends its callbacks, unless it is told another URL. */
  readonly callbackUrl?: string | URL;
  /** The users that it knows from the start. */
  readonly users?: Iterable<ServiceUser>;
  /** The time zone of `expire_dt`, an IANA name or offset; UTC unless told. */
  readonly expireTimeZone?: string;
  /** How long an `acs_token` is good; 300,000 unless told. */
  readonly tokenTtlMs?: number;
  /** How long a `ptn_token` is good after its issue; 600,000 unless told. */
  readonly ptnTokenTtlMs?: number;
}

/** Whom to sign up; client id, cipher and callback URL are those of the service unless told. */
export type SignUpOptions = Partial<SimulateSignupOptions>;

/** An emulated service that listens. */
export interface RunningService extends RunningEmulator {
  /** {auth_url}. */
  readonly url: string;
  readonly clientId: string;
  readonly secretKey: string;
  /** Makes a user known, or replaces what is known of them. */
  addUser(user: ServiceUser): void;
  /**
   * Signs a user up at the application, as `simulateSignup` does, and knows them from then on.
   * @throws AuthcliError `usage` where no callback URL is known, and as `simulateSignup`
   */
  signUp(options?: SignUpOptions): Promise<SignupResult>;
  /** A `ptn_token` of that user, as the client library on their device would make one. */
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
 * @throws AuthcliError `usage` for a cipher, time zone or fault that there isn't, and an address
 *   that can't be bound; the reason of `signal`
 */
export async function startService(options: StartServiceOptions = {}): Promise<RunningService> {
  const { clientId = defaultClientId, secretKey = encodeBase64Url(world.randomBytes(24)) } =
    options;
  const known = new Map(
    [...(options.users ?? [])].map((user) => [user.ptnCd, toServiceUser(user)]),
  );
  const secret = Secret.text(secretKey);
  const service = createService({
    clientId,
    secretKey: secret,
    cipher: readCipher(options.cipher),
    findUser: (ptnCd) => known.get(ptnCd),
    environment: world,
    timeZone: options.expireTimeZone,
    tokenTtlMs: options.tokenTtlMs,
    ptnTokenTtlMs: options.ptnTokenTtlMs,
  });
  const addUser = (user: ServiceUser): void => void known.set(user.ptnCd, toServiceUser(user));
  const signUp = signUpAt({ ...options, clientId }, addUser);
  const emulator = await startEmulator(
    {
      side: 'service',
      handler: (request) => handleServiceCall(request, service),
      faults: service.faults,
      settings: { client_id: clientId },
      signUp: options.callbackUrl === undefined ? undefined : (order) => ordered(order, signUp),
    },
    options,
  );
  return {
    ...emulator,
    url: emulator.origin,
    clientId,
    secretKey,
    addUser,
    signUp,
    issuePtnToken: (ptnCd) =>
      issuePtnToken(ptnCd, { clientId, secretKey: secret }, { ...world, now: world.now() }),
  };
}

/** Signs users up with one key pair, which is made for the first of them. */
function signUpAt(
  { clientId, cipher, callbackUrl }: StartServiceOptions,
  addUser: RunningService['addUser'],
): RunningService['signUp'] {
  let pair: Promise<string> | undefined;
  const privateKeyOnce = (): Promise<string> => {
    pair ??= generateKeyPair().then(exportPrivateKey);
    return pair;
  };
  return async (options = {}) => {
    const url = readUrl(options.url ?? callbackUrl ?? missingUrl());
    const privateKey = options.privateKey ?? (await privateKeyOnce());
    const result = await simulateSignup({ clientId, cipher, ...options, url, privateKey });
    const { ptnCd, key, superPasscode } = result;
    const isKnown = result.calls[0]?.ok === true && key !== undefined;
    if (isKnown) addUser({ ptnCd, key, ...(result.ok && { superPasscode }) });
    return result;
  };
}

function missingUrl(): never {
  throw new AuthcliError('usage', 'No callback URL is known to sign a user up at.', {
    hint: 'Give callbackUrl to startService, or url to signUp.',
  });
}

/** The sign-up that POST /_authcli/signup orders, as JSON with its secrets hidden. */
async function ordered(
  { ptnCd, email, name, phone, superPasscode }: SignupOrder,
  signUp: RunningService['signUp'],
): Promise<Readonly<Record<string, unknown>>> {
  const isSaid = [email, name, phone].some((value) => value !== undefined);
  const userInfo = isSaid ? { email, name, phone } : undefined;
  const result = await signUp({ ptnCd, superPasscode, userInfo });
  const redactor = new Redactor();
  redactor.add(result.key);
  redactor.add(result.superPasscode);
  redactor.show(result.ptnCd);
  return redactor.json({
    ptn_cd: result.ptnCd,
    key_fingerprint: result.keyFingerprint ?? null,
    steps: result.calls.map(({ operation, httpStatus, code, message, diagnosis }) => ({
      operation,
      http_status: httpStatus ?? null,
      code: code ?? null,
      message: message ?? null,
      diagnosis,
    })),
    signed_up: result.ok,
    ...(!result.ok && { diagnosis: result.diagnosis }),
  }) as Readonly<Record<string, unknown>>;
}
