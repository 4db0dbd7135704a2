import { encodeBase64Url, encodeHex, encodeUtf8, type RandomBytes } from '../bytes.ts';
import { judgeKeyExchange, judgeRegistration } from '../client/callbacks.ts';
import type { LeanConnection, LeanReply } from '../client/lean-connection.ts';
import { unusableKey } from '../client/signup.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { prepareKey } from '../crypto/key-derivation.ts';
import { encryptPrepared } from '../crypto/payload-ciphers.ts';
import { exportPublicKey, type RsaPrivateKey } from '../crypto/rsa-key.ts';
import type { Diagnosis } from '../errors.ts';
import { keyExchangeRequestText } from '../protocol/key-exchange.ts';
import { readPlainSuccess } from '../protocol/plain-answer.ts';
import { registrationRequestText } from '../protocol/registration.ts';
import { encodeUserInformation } from '../protocol/user-info.ts';
import { KeyExaminer } from './key-examiner.ts';
import type { KeyMemory } from './key-memory.ts';
import { openPlainKey } from './plain-key.ts';
import { requestTemplate } from './request-template.ts';
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
  /** The request of a key exchange for a user code. */
  readonly request: (ptnCd: string) => string;
}

/** The first half of a sign-up that went well. */
interface KeyReceived {
  readonly user: LoadedUser;
  readonly weaknesses?: readonly Diagnosis[];
  readonly firstMs: number;
}

/** A key that came, whether read the short way or judged. */
interface OpenedKey {
  readonly wrapped: string;
  readonly key: string;
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
    this.#pairs = settings.keyPairs.map((pair) => prepareRequest(settings.clientId, pair));
    this.#examiner = new KeyExaminer(settings.clientId, environment);
    this.#prefix = `authcli-load-${encodeHex(environment.randomBytes(5))}-`;
  }

  async run(connection: LeanConnection): Promise<Attempted> {
    const ptnCd = `${this.#prefix}${this.#number}`;
    const { pair, request } = this.#nextPair();
    const reply = await connection.post(request(ptnCd));
    const opened = openPlainly(reply.plainBody, pair) ?? (await this.#judgeKey(reply, ptnCd, pair));
    if ('ok' in opened) return opened;
    const { key, wrapped } = opened;
    const { repeated, weaknesses } = this.#examiner.examine({ wrapped, key, ptnCd, pair });
    const user = this.#newUser(ptnCd, key);
    const body = repeated ?? this.#registration(user);
    if (typeof body === 'string') {
      return await this.#register(connection, body, {
        user,
        weaknesses,
        firstMs: reply.durationMs,
      });
    }
    const stepsMs = [reply.durationMs];
    return {
      ok: false,
      answered: true,
      stepsMs,
      diagnosis: body,
      secrets: secretsOf(user),
      weaknesses,
    };
  }

  #nextPair(): ServiceKeyPair {
    const pair = this.#pairs[this.#number % this.#pairs.length];
    if (pair === undefined) throw new TypeError('sign-ups without a key pair');
    this.#number += 1;
    return pair;
  }

  async #judgeKey(
    reply: LeanReply,
    ptnCd: string,
    keyPair: RsaPrivateKey,
  ): Promise<OpenedKey | Attempted> {
    const { clientId } = this.#settings;
    const exchange = await reply.exchange();
    const now = this.#environment.now();
    const outcome = await judgeKeyExchange(exchange, { clientId, ptnCd, keyPair, now });
    const { key, diagnosis } = outcome;
    const wrapped = outcome.result?.encPartnerKey;
    if (outcome.ok && key !== undefined && wrapped !== undefined)
      return { wrapped, key: key.reveal() };
    const answered = exchange.answer !== undefined || exchange.partial !== undefined;
    const secrets = key === undefined ? [] : [key.reveal()];
    return { ok: false, answered, stepsMs: [reply.durationMs], diagnosis, secrets };
  }

  #newUser(ptnCd: string, key: string): LoadedUser {
    const superPasscode = encodeBase64Url(this.#environment.randomBytes(18));
    const { userInfo = madeUpInformation(ptnCd) } = this.#settings;
    return { ptnCd, key, superPasscode, userInfo: userInfo ?? undefined };
  }

  async #register(
    connection: LeanConnection,
    body: string,
    { user, weaknesses, firstMs }: KeyReceived,
  ): Promise<Attempted> {
    const reply = await connection.post(body);
    const stepsMs = [firstMs, reply.durationMs];
    const { plainBody } = reply;
    if (plainBody !== undefined && readPlainSuccess(plainBody) !== undefined) {
      return { ok: true, answered: true, stepsMs, user, weaknesses };
    }
    const { ok, diagnosis } = await judgeRegistration(await reply.exchange());
    if (ok) return { ok, answered: true, stepsMs, user, weaknesses };
    return { ok, answered: true, stepsMs, diagnosis, secrets: secretsOf(user), weaknesses };
  }

  /** The body, or why the key can't be used for it. */
  #registration({ ptnCd, key, superPasscode, userInfo }: LoadedUser): string | Diagnosis {
    const { clientId, cipher } = this.#settings;
    const derive = prepareKey(key);
    const encrypt = (text: string) =>
      encryptPrepared(encodeUtf8(text), derive, cipher, this.#environment.randomBytes);
    try {
      const partnerSp = encrypt(superPasscode);
      const ubifill = userInfo === undefined ? undefined : encrypt(userInfo);
      return registrationRequestText({ clientId, ptnCd, partnerSp, ubifill });
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

function prepareRequest(clientId: string, pair: RsaPrivateKey): ServiceKeyPair {
  const publicKey = exportPublicKey(pair.publicKey);
  const write = (ptnCd: string) => keyExchangeRequestText({ clientId, ptnCd, publicKey });
  return { pair, request: requestTemplate(write) };
}

/** The key of an answer that is right beyond doubt. */
function openPlainly(body: Uint8Array | undefined, pair: RsaPrivateKey): OpenedKey | undefined {
  const wrapped = body === undefined ? undefined : readPlainSuccess(body)?.result.enc_partner_key;
  const key = typeof wrapped === 'string' ? openPlainKey(wrapped, pair) : undefined;
  return typeof wrapped === 'string' && key !== undefined ? { wrapped, key } : undefined;
}

function secretsOf({ key, superPasscode, userInfo }: LoadedUser): readonly string[] {
  return userInfo === undefined ? [key, superPasscode] : [key, superPasscode, userInfo];
}
