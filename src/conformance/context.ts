import type { RandomBytes } from '../bytes.ts';
import type { CallOutcome, KeyExchangeOutcome, RegistrationOutcome } from '../client/call.ts';
import type { Transport, WireRequest } from '../client/exchange.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import type { Diagnosis } from '../errors.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Check } from './check.ts';
import type { MalformedName } from './malformed.ts';
import type { CheckResult, EmitEvent, RecordedExchange, RunRecord } from './result.ts';

export interface RunEnvironment {
  readonly transport: Transport;
  /** Undefined if only a command is verified. */
  readonly url?: URL;
  readonly clientId: string;
  readonly cipher: Cipher;
  readonly keyPairs: KeyPairs;
  readonly users: TestUsers;
  readonly seed: string;
  readonly insecure: boolean;
  readonly now: () => number;
  readonly record: RunRecord;
  readonly emit: EmitEvent;
  /** The checks that have ended, by id. */
  readonly results: ReadonlyMap<string, CheckResult>;
  readonly concurrentUsers: number;
  readonly strict: boolean;
  /** The diagnosis of a call that failed, with what the application's log says of it. */
  readonly explain: (failed: Diagnosis, call: FailedCall, cipher: Cipher) => Diagnosis;
  /** Stops the run; unfinished checks count as not run. */
  readonly signal?: AbortSignal;
}

export type FailedCall = Pick<RecordedExchange, 'operation' | 'exchange'>;

/** The user codes that checks use. */
export interface TestUsers {
  /** Codes for one check; undefined if there are not enough. */
  forCheck(id: string, count: number): readonly string[] | undefined;
  /** How many codes were given; undefined if they are invented. */
  readonly limit?: number;
}

/** The service's key pairs of a run, shared by all checks; those of key pairs use others than the usual one. */
export type KeyPairs = (name: 'usual' | 'second' | 3072 | 4096) => Promise<RsaPrivateKey>;

/** What one check sends with: its users, its randomness, and the two callbacks, all recorded. */
export interface CheckContext {
  readonly check: Check;
  readonly users: readonly string[];
  readonly environment: RunEnvironment;
  /** Derived from the seed of the run and the id of the check. */
  readonly randomBytes: RandomBytes;
  readonly sent: RecordedExchange[];
  readonly record: RunRecord;
  /** The first of its users. */
  readonly user: string;
  /** The callback endpoint; only a run of sign-in checks is without one. */
  readonly url: URL;
  /** The transport, with the mark of this check on each request; what it sends is not recorded. */
  readonly marked: Transport;
  hasPassed(id: string): boolean;
  /** Sends a key exchange and decrypts the key in the response; judges nothing. */
  exchange(ptnCd: string, options?: SignUpOptions): Promise<KeyExchangeOutcome>;
  /**
   * Exchanges a key in a check of something else, and returns the plain key. Faults that another
   * check has reported are ignored, and the form of the key, which `key-exchange/key-length` judges
   * for every key of the run; any other fails this check.
   */
  obtainKey(ptnCd: string, options?: SignUpOptions): Promise<string>;
  /** Sends a key exchange that must be accepted. */
  acceptedExchange(ptnCd: string, options?: SignUpOptions): Promise<KeyExchangeOutcome>;
  keyIn(outcome: KeyExchangeOutcome): string;
  /** Sends a registration; judges nothing. Skips the check if the cipher can't use the key. */
  register(ptnCd: string, key: string, options?: SignUpOptions): Promise<RegistrationOutcome>;
  /** Registers the user, which must be accepted. */
  registerRightly(ptnCd: string, key: string, options?: SignUpOptions): Promise<void>;
  /** A whole sign-up, which must be accepted; returns the plain key. */
  signUp(ptnCd: string, options?: SignUpOptions): Promise<string>;
  /** Sends one malformed request, with `fields` in place of its own; judges nothing. */
  sendMalformed(
    name: MalformedName,
    right: WireRequest,
    fields?: JsonObject,
  ): Promise<CallOutcome<object>>;
  /** Sends one malformed request, which must not be accepted. */
  expectRefused(name: MalformedName, right: WireRequest): Promise<CallOutcome<object>>;
  /** Keeps an exchange of a sign-in, apart from the callbacks, which other checks review. */
  keepSignIn(seen: Omit<RecordedExchange, 'check' | 'alone'>): void;
  /** A valid key exchange, to be mutated. */
  rightExchange(ptnCd: string): Promise<WireRequest>;
  /** A valid registration, to be mutated; `userInfo` is sent as ubifill. */
  rightRegistration(ptnCd: string, key: string, userInfo?: string): WireRequest;
  newPasscode(): string;
}

/** What a request has beyond the usual. */
export interface SignUpOptions {
  /** Changes the request just before it is sent. */
  readonly alter?: (right: WireRequest) => WireRequest;
  readonly keyPair?: RsaPrivateKey;
  /** Sent as ubifill; none by default. */
  readonly userInfo?: string | undefined;
  /** A new one by default. */
  readonly superPasscode?: string;
  /** Random by default; only of a cipher with the IV in front. */
  readonly iv?: Uint8Array;
  /** That of the run by default. */
  readonly cipher?: Cipher;
  /** The request in words, for the verdict. */
  readonly what?: string;
}

/** The header that names the check in every request, for the application's log. */
export const checkHeader = 'X-Authcli-Check';
