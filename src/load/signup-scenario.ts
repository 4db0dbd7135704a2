import { encodeBase64Url, encodeHex, encodeUtf8, type RandomBytes } from '../bytes.ts';
import { judgeKeyExchange, judgeRegistration } from '../client/callbacks.ts';
import type { LeanConnection } from '../client/lean-connection.ts';
import { unusableKey } from '../client/signup.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { prepareKey } from '../crypto/key-derivation.ts';
import { encryptPrepared } from '../crypto/payload-ciphers.ts';
import { exportPublicKey, type RsaPrivateKey } from '../crypto/rsa-key.ts';
import type { Diagnosis } from '../errors.ts';
import { encodeKeyExchangeRequest } from '../protocol/key-exchange.ts';
import { readPlainSuccess } from '../protocol/plain-answer.ts';
import { encodeRegistrationRequest } from '../protocol/registration.ts';
import { encodeUserInformation } from '../protocol/user-info.ts';
import { KeyExaminer } from './key-examiner.ts';
import type { KeyMemory } from './key-memory.ts';
import { openPlainKey } from './plain-key.ts';
import type { Attempted, LoadedUser, Scenario } from './scenario.ts';

/** What sign-ups are made of. */
export interface SignupSettings {
  readonly clientId: string;
  readonly cipher: Cipher;
  /** The service's key pairs, sent by turns; at least one. */
  readonly keyPairs: readonly RsaPrivateKey[];
  /** The text of everyone's user information; made up for each user unless given, null for none. */
  readonly userInfo?: string | null;
}

export interface SignupEnvironment {
  readonly randomBytes: RandomBytes;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly keys: KeyMemory;
}

interface ServiceKeyPair {
  readonly pair: RsaPrivateKey;
  /** As it is sent. */
  readonly publicKey: string;
}

/** The first half of a sign-up. */
interface KeyReceived extends Omit<Attempted, 'ok' | 'user'> {
  /** The key to register with; absent where the exchange failed. */
  readonly key?: string;
}

/**
 * Signs made-up users up (section 1.2): both callbacks, the key unwrapped and checked, the
 * registration encrypted with it. An answer that is right beyond doubt is read the short way;
 * anything else is judged by the code of a single sign-up, and gets the same diagnosis.
 */
export class SignupScenario implements Scenario {
  readonly #settings: SignupSettings;
  readonly #environment: SignupEnvironment;
  readonly #pairs: readonly ServiceKeyPair[];
  readonly #examiner: KeyExaminer;
  /** Shows where the users came from, and keeps those of two runs apart. */
  readonly #prefix: string;
  #number = 0;

  constructor(settings: SignupSettings, environment: SignupEnvironment) {
    this.#settings = settings;
    this.#environment = environment;
    this.#pairs = settings.keyPairs.map((pair) => ({
      pair,
      publicKey: exportPublicKey(pair.publicKey),
    }));
    this.#examiner = new KeyExaminer(settings.clientId, environment);
    this.#prefix = `authcli-load-${encodeHex(environment.randomBytes(5))}-`;
  }

  async run(connection: LeanConnection): Promise<Attempted> {
    const ptnCd = `${this.#prefix}${this.#number}`;
    const pair = this.#pairs[this.#number % this.#pairs.length];
    if (pair === undefined) throw new TypeError('sign-ups without a key pair');
    this.#number += 1;
    const { key, ...received } = await this.#receiveKey(connection, ptnCd, pair);
    if (key === undefined) return { ok: false, ...received };
    return this.#register(connection, { ptnCd, key, ...this.#userParts(ptnCd) }, received);
  }

  async #receiveKey(
    connection: LeanConnection,
    ptnCd: string,
    { pair, publicKey }: ServiceKeyPair,
  ): Promise<KeyReceived> {
    const { clientId } = this.#settings;
    const reply = await connection.post(encodeKeyExchangeRequest({ clientId, ptnCd, publicKey }));
    const stepsMs = [reply.durationMs];
    const wrapped = wrappedKeyOf(reply.plainBody);
    const key = wrapped === undefined ? undefined : openPlainKey(wrapped, pair);
    if (wrapped !== undefined && key !== undefined) {
      return this.#examined({ wrapped, key, ptnCd, pair }, stepsMs);
    }
    const exchange = await reply.exchange();
    const now = this.#environment.now();
    const outcome = judgeKeyExchange(exchange, { clientId, ptnCd, keyPair: pair, now });
    const answered = exchange.answer !== undefined || exchange.partial !== undefined;
    const opened = outcome.result?.encPartnerKey;
    if (outcome.ok && outcome.key !== undefined && opened !== undefined) {
      return this.#examined({ wrapped: opened, key: outcome.key.reveal(), ptnCd, pair }, stepsMs);
    }
    const secrets = outcome.key === undefined ? [] : [outcome.key.reveal()];
    return { stepsMs, answered, diagnosis: outcome.diagnosis, secrets };
  }

  #examined(found: Parameters<KeyExaminer['examine']>[0], stepsMs: readonly number[]): KeyReceived {
    const { repeated, weaknesses } = this.#examiner.examine(found);
    const { key } = found;
    const received = { stepsMs, answered: true, ...(weaknesses && { weaknesses }) };
    if (repeated !== undefined) return { ...received, diagnosis: repeated, secrets: [key] };
    return { ...received, key };
  }

  #userParts(ptnCd: string): Omit<LoadedUser, 'ptnCd' | 'key'> {
    const superPasscode = encodeBase64Url(this.#environment.randomBytes(18));
    const { userInfo = madeUpInformation(ptnCd) } = this.#settings;
    return userInfo === null ? { superPasscode } : { superPasscode, userInfo };
  }

  async #register(
    connection: LeanConnection,
    user: LoadedUser,
    { stepsMs, weaknesses }: Omit<KeyReceived, 'key'>,
  ): Promise<Attempted> {
    const body = this.#registration(user);
    const secrets = secretsOf(user);
    const examined = weaknesses && { weaknesses };
    if (!(body instanceof Uint8Array)) {
      return { ok: false, answered: true, stepsMs, diagnosis: body, secrets, ...examined };
    }
    const reply = await connection.post(body);
    const both = [...stepsMs, reply.durationMs];
    const { plainBody } = reply;
    if (plainBody !== undefined && readPlainSuccess(plainBody) !== undefined) {
      return { ok: true, answered: true, stepsMs: both, user, ...examined };
    }
    const { ok, diagnosis } = judgeRegistration(await reply.exchange());
    if (ok) return { ok, answered: true, stepsMs: both, user, ...examined };
    return { ok, answered: true, stepsMs: both, diagnosis, secrets, ...examined };
  }

  /** The body, or why the key can't be used for it. */
  #registration({ ptnCd, key, superPasscode, userInfo }: LoadedUser): Uint8Array | Diagnosis {
    const { clientId, cipher } = this.#settings;
    const derive = prepareKey(key);
    const encrypt = (text: string) =>
      encryptPrepared(encodeUtf8(text), derive, cipher, this.#environment.randomBytes);
    try {
      const partnerSp = encrypt(superPasscode);
      const ubifill = userInfo === undefined ? undefined : encrypt(userInfo);
      return encodeRegistrationRequest({ clientId, ptnCd, partnerSp, ubifill });
    } catch (error) {
      return unusableKey(cipher, error);
    }
  }
}

/**
 * Refuses what no key would help.
 * @throws AuthcliError `usage` for user information that the cipher can't take.
 */
export function checkSignupSettings({
  cipher,
  userInfo = madeUpInformation('x'),
}: Pick<SignupSettings, 'cipher' | 'userInfo'>): void {
  const derive = prepareKey('0'.repeat(64));
  for (const text of ['x'.repeat(24), userInfo]) {
    if (text !== null) {
      encryptPrepared(encodeUtf8(text), derive, cipher, (size) => new Uint8Array(size));
    }
  }
}

function madeUpInformation(ptnCd: string): string {
  return encodeUserInformation({
    email: `${ptnCd}@example.com`,
    name: 'Test User',
    phone: '+1-555-0100',
  });
}

function wrappedKeyOf(body: Uint8Array | undefined): string | undefined {
  const wrapped = body === undefined ? undefined : readPlainSuccess(body)?.result.enc_partner_key;
  return typeof wrapped === 'string' ? wrapped : undefined;
}

function secretsOf({ key, superPasscode, userInfo }: LoadedUser): readonly string[] {
  return userInfo === undefined ? [key, superPasscode] : [key, superPasscode, userInfo];
}
