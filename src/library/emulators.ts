import { encodeBase64Url } from '../bytes.ts';
import { signedUpUser } from '../client/signup.ts';
import { Secret } from '../crypto/secret.ts';
import { callbackPath, createUserStore } from '../emulator/application.ts';
import type { SignupOrder } from '../emulator/control.ts';
import {
  type EmulatedSide,
  emulatedApplication,
  emulatedService,
  startEmulation,
} from '../emulator/emulator.ts';
import type { Activation } from '../emulator/handling.ts';
import { type JournalEntry, type JournalFilter, openly } from '../emulator/journal.ts';
import type { ServiceUser as KnownUser } from '../emulator/service.ts';
import { issuePtnToken } from '../emulator/tokens.ts';
import { AuthcliError } from '../errors.ts';
import { keepingLatest } from '../latest-results.ts';
import { defaultClientId, type User } from '../protocol/user.ts';
import { orderedSignupDocument } from '../reports/exchange.ts';
import { Redactor } from '../reports/redact.ts';
import { checkOptions, environment, readCipher } from './options.ts';
import type { SignupResult, SimulateSignupOptions } from './signup.ts';
import { runSignup, toSignupResult } from './signup-run.ts';

/** What the emulated service must know about a user. */
export interface ServiceUser {
  readonly ptnCd: string;
  readonly key: string;
  /** Absent until the registration is complete. */
  readonly superPasscode?: string;
}

/** A user as the reference application stores them. */
export interface ApplicationUser extends ServiceUser {
  readonly userInfo?: string;
  /** `known` after the key exchange, `registered` after registration complete. */
  readonly state: 'known' | 'registered';
}

/** The options of both emulated sides. */
export interface EmulatorOptions {
  /** `authcli-client` by default. */
  readonly clientId?: string;
  /** The cipher of the per-user key, in its notation or by a preset's name. */
  readonly cipher?: string;
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: string;
  /** A free one by default. */
  readonly port?: number;
  /** Faults that are on from the start; `authcli emulate app --list-faults` lists them. */
  readonly faults?: readonly string[];
  /** Delays each response. */
  readonly latencyMs?: number;
  /** Don't hide keys, passcodes and tokens in the journal. */
  readonly showSecrets?: boolean;
  /** Called after each response. */
  readonly onExchange?: (entry: JournalEntry) => void;
  /** Closes the emulator when it is aborted. */
  readonly signal?: AbortSignal;
}

export interface Faults {
  /** Switches one on: for all calls, `times` calls, or one user. Throws `usage` for an unknown name. */
  on(fault: string | Activation): void;
  /** Switches one or all off; returns how many were on. */
  off(name?: string): number;
  active(): readonly Activation[];
}

/** An emulated side that listens. */
export interface RunningEmulator extends AsyncDisposable {
  /** `http://127.0.0.1:8080` */
  readonly origin: string;
  readonly port: number;
  readonly faults: Faults;
  /** The last 1,000 calls, oldest first. */
  journal(filter?: JournalFilter): readonly JournalEntry[];
  /** Idempotent; `await using` does the same. */
  close(): Promise<void>;
}

export interface StartApplicationOptions extends EmulatorOptions {
  /** The users it knows from the start. */
  readonly users?: Iterable<ApplicationUser>;
}

export interface RunningApplication extends RunningEmulator {
  /** Its callback URL. */
  readonly url: string;
  readonly clientId: string;
  /** A user with key and passcode in clear, if known. */
  user(ptnCd: string): ApplicationUser | undefined;
  users(): readonly ApplicationUser[];
}

/**
 * Starts a reference application on loopback: a callback endpoint that follows the interface (4.1),
 * or has the faults that you choose.
 *
 * @example
 * ```ts
 * import { simulateSignup, startApplication } from 'authcli';
 *
 * await using application = await startApplication({ faults: ['oaep-sha256'] });
 * const failed = await simulateSignup({ url: application.url });
 * console.log(failed.ok ? '' : failed.diagnosis.code); // oaep-sha256
 *
 * application.faults.off();
 * const user = await simulateSignup({ url: application.url });
 * console.log(application.user(user.ptnCd)?.state); // registered
 * ```
 *
 * @throws AuthcliError `usage` for an unknown cipher or fault, or an address that can't be bound; the
 *   reason of `signal`
 */
export async function startApplication(
  options: StartApplicationOptions = {},
): Promise<RunningApplication> {
  checkOptions(options);
  const { clientId = defaultClientId } = options;
  const users = createUserStore(usersIn(options).map(toUser));
  const settings = { clientId, cipher: readCipher(options.cipher), users };
  const emulator = await startEmulator(emulatedApplication(settings, environment), options);
  return {
    ...emulator,
    url: `${emulator.origin}${callbackPath}`,
    clientId,
    user: (ptnCd) =>
      users
        .list()
        .map(fromUser)
        .find((user) => user.ptnCd === ptnCd),
    users: () => users.list().map(fromUser),
  };
}

/** Plain texts outside become secrets inside, so that printing an object by mistake doesn't show them. */
function toUser(user: ApplicationUser): User {
  const superPasscode = Secret.optional(user.superPasscode);
  const userInfo = Secret.optional(user.userInfo);
  return { ...user, key: Secret.key(user.key), superPasscode, userInfo };
}

function fromUser({ ptnCd, key, superPasscode, userInfo, state }: User): ApplicationUser {
  const secrets = { superPasscode: superPasscode?.reveal(), userInfo: userInfo?.reveal() };
  return { ptnCd, key: key.reveal(), ...secrets, state };
}

function usersIn<T extends ServiceUser>({ users = [] }: { readonly users?: Iterable<T> }): T[] {
  if (typeof users === 'number') throw new AuthcliError('usage', 'The option users is not a list.');
  const listed = [...users];
  for (const user of listed) checkOptions(user, 'ptnCd', 'key');
  return listed;
}

export interface StartServiceOptions extends EmulatorOptions {
  /** A random one by default. */
  readonly secretKey?: string;
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
  const { clientId = defaultClientId, cipher, callbackUrl, expireTimeZone: timeZone } = options;
  const { secretKey = encodeBase64Url(environment.randomBytes(24)) } = options;
  const known = new Map<string, KnownUser>();
  const addUser = ({ ptnCd, key, superPasscode }: ServiceUser): void => {
    const secrets = { key: Secret.key(key), superPasscode: Secret.optional(superPasscode) };
    known.set(ptnCd, { ptnCd, ...secrets });
  };
  usersIn(options).forEach(addUser);
  const secret = Secret.text(secretKey);
  /** All with one key pair, which is generated for the first user. */
  const keyPairOf = keepingLatest(1, environment.generateKeyPair);
  const signUp = async (signup: SignUpOptions) => {
    checkOptions(signup);
    const url = signup.url ?? callbackUrl;
    if (url === undefined) {
      throw new AuthcliError('usage', 'No callback URL is known to sign a user up at.', {
        hint: 'Give callbackUrl to startService, or url to signUp.',
      });
    }
    const done = await runSignup({ clientId, cipher, ...signup, url }, () => keyPairOf(2048));
    const user = signedUpUser(done.outcome, done.input);
    if (user !== undefined) known.set(user.ptnCd, user);
    return done;
  };
  const orderSignup = async (order: SignupOrder) => {
    const { ptnCd, superPasscode, callbackUrl: _, ...userInfo } = order;
    const { outcome, input } = await signUp({ ptnCd, superPasscode, userInfo });
    const redactor = new Redactor();
    redactor.addUser(input);
    return orderedSignupDocument(outcome, redactor);
  };
  const side = emulatedService(
    {
      clientId,
      secretKey: secret,
      cipher: readCipher(cipher),
      findUser: (ptnCd) => known.get(ptnCd),
      timeZone,
      tokenTtlMs: options.tokenTtlMs,
      ptnTokenTtlMs: options.ptnTokenTtlMs,
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
    addUser: (user) => usersIn({ users: [user] }).forEach(addUser),
    signUp: async (signup = {}) => toSignupResult(await signUp(signup)),
    issuePtnToken: (ptnCd) => issuePtnToken(ptnCd, { clientId, secretKey: secret }, environment),
  };
}

/** Serves one side; throws `usage` for an unknown fault or an address that can't be bound. */
async function startEmulator(
  side: EmulatedSide,
  options: EmulatorOptions,
): Promise<RunningEmulator> {
  const { signal } = options;
  signal?.throwIfAborted();
  const faults: Faults = {
    on: (fault) => side.faults.switchOn(typeof fault === 'string' ? { name: fault } : fault),
    off: (name) => side.faults.switchOff(name),
    active: () => side.faults.active(),
  };
  for (const name of options.faults ?? []) faults.on(name);
  const redaction = options.showSecrets ? openly : new Redactor();
  const server = await startEmulation(side, { ...options, redaction }, environment);
  const close = (): Promise<void> => {
    signal?.removeEventListener('abort', close);
    return server.close();
  };
  signal?.addEventListener('abort', close, { once: true });
  return {
    origin: server.url,
    port: server.port,
    faults,
    journal: (filter) => server.journal.read(filter),
    close,
    [Symbol.asyncDispose]: close,
  };
}
