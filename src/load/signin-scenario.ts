import { constantTimeEqual, encodeUtf8, type RandomBytes } from '../bytes.ts';
import type { LeanConnection } from '../client/lean-connection.ts';
import { judgeAuthenticate, judgeToken } from '../client/signin.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { type DeriveKeyMaterial, prepareKey } from '../crypto/key-derivation.ts';
import { decryptBytes } from '../crypto/payload-ciphers.ts';
import { decodePayload } from '../crypto/payload-encoding.ts';
import { Secret } from '../crypto/secret.ts';
import { issuePtnToken, type PtnTokenIssuer } from '../emulator/ptn-token.ts';
import { authenticateRequestText } from '../protocol/authenticate.ts';
import { parseExpireDt } from '../protocol/expiry.ts';
import { readPlainSuccess } from '../protocol/plain-answer.ts';
import { type TokenResult, tokenRequestText } from '../protocol/token.ts';
import type { SigninUser } from './job.ts';
import { requestTemplate } from './request-template.ts';
import type { Attempted, Scenario } from './scenario.ts';

/** What sign-ins are made of. */
export interface SigninSettings {
  readonly clientId: string;
  readonly secretKey: string;
  readonly cipher: Cipher;
  /** What is known of users; who signs in, by turns, unless there are tokens. */
  readonly users: readonly SigninUser[];
  /** Tokens of whichever users, used by turns. */
  readonly ptnTokens?: readonly string[];
}

/** One sign-in to come. */
interface Turn {
  readonly ptnToken: string;
  /** Absent for a token of which nobody knows whose it is. */
  readonly ptnCd?: string;
}

interface Environment {
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
}

/** An issued token is used again for so long: it is good for ten minutes. */
const tokenAgeMs = 300_000;

interface IssuedToken {
  readonly text: string;
  readonly issuedAt: number;
}

/** The keys of so many users are kept ready for use: of more, memory would grow with their number. */
const mostPrepared = 1000;

/** Signs known users in (section 1.3): both calls, the passcode decrypted and compared. */
export class SigninScenario implements Scenario {
  readonly #settings: SigninSettings;
  readonly #tokenRequest: (ptnToken: string) => string;
  readonly #authenticateRequest: (acsToken: string) => string;
  readonly #issuer: PtnTokenIssuer;
  readonly #environment: Environment;
  readonly #step: number;
  readonly #known: ReadonlyMap<string, SigninUser>;
  readonly #issued = new Map<string, IssuedToken>();
  readonly #prepared = new Map<string, DeriveKeyMaterial>();
  /** The latest `expire_dt` that was right: a service that is asked often says the same often. */
  #expireDt = '';
  #number: number;

  /** @param place of several threads each takes every nth user */
  constructor(
    settings: SigninSettings,
    environment: Environment,
    { index, threads }: { readonly index: number; readonly threads: number },
  ) {
    this.#settings = settings;
    const { clientId, secretKey } = settings;
    this.#tokenRequest = requestTemplate((ptnToken) =>
      tokenRequestText({ clientId, secretKey, ptnToken }),
    );
    this.#authenticateRequest = requestTemplate((acsToken) =>
      authenticateRequestText({ clientId, secretKey, acsToken }),
    );
    this.#issuer = { clientId, secretKey: Secret.text(secretKey) };
    this.#environment = environment;
    this.#known = new Map(settings.users.map((user) => [user.ptnCd, user]));
    this.#number = index;
    this.#step = threads;
  }

  async run(connection: LeanConnection): Promise<Attempted> {
    const { ptnToken, ptnCd } = this.#nextTurn();
    const reply = await connection.post(this.#tokenRequest(ptnToken), 0);
    const stepsMs = [reply.durationMs];
    const plain = this.#readToken(reply.plainBody);
    if (plain !== undefined && (ptnCd ?? plain.ptnCd) === plain.ptnCd) {
      return await this.#authenticate(connection, plain, stepsMs);
    }
    const exchange = await reply.exchange();
    const { ok, result, diagnosis } = await judgeToken(exchange, ptnCd);
    if (ok && result !== undefined) return await this.#authenticate(connection, result, stepsMs);
    const answered = exchange.answer !== undefined || exchange.partial !== undefined;
    return {
      ok: false,
      answered,
      stepsMs,
      diagnosis,
      secrets: [this.#settings.secretKey, ptnToken],
    };
  }

  async #authenticate(
    connection: LeanConnection,
    { acsToken, ptnCd }: Pick<TokenResult, 'acsToken' | 'ptnCd'>,
    stepsMs: readonly number[],
  ): Promise<Attempted> {
    const user = this.#known.get(ptnCd) ?? { ptnCd };
    const { secretKey, cipher } = this.#settings;
    const reply = await connection.post(this.#authenticateRequest(acsToken), 1);
    const both = [...stepsMs, reply.durationMs];
    if (this.#isRight(reply.plainBody, user)) return { ok: true, answered: true, stepsMs: both };
    const known = {
      key: Secret.optional(user.key),
      superPasscode: Secret.optional(user.superPasscode),
    };
    const { ok, diagnosis } = await judgeAuthenticate(await reply.exchange(), {
      user: known,
      cipher,
    });
    const { key = '', superPasscode = '' } = user;
    const secrets = [secretKey, acsToken, key, superPasscode];
    return { ok, answered: true, stepsMs: both, diagnosis, ...(!ok && { secrets }) };
  }

  /** Whether the passcode of a plain answer is the user's. */
  #isRight(body: Uint8Array | undefined, { key, superPasscode }: SigninUser): boolean {
    const ptnSp = body === undefined ? undefined : readPlainSuccess(body)?.result.ptn_sp;
    if (typeof ptnSp !== 'string' || key === undefined || superPasscode === undefined) return false;
    const { cipher } = this.#settings;
    const decoded = decodePayload(ptnSp, cipher.encoding);
    if (!decoded.ok) return false;
    const decrypted = decryptBytes(decoded.bytes, this.#prepare(key), cipher);
    return decrypted.ok && constantTimeEqual(decrypted.plaintext, encodeUtf8(superPasscode));
  }

  #prepare(key: string): DeriveKeyMaterial {
    const derive = this.#prepared.get(key) ?? prepareKey(key);
    if (this.#prepared.size < mostPrepared) this.#prepared.set(key, derive);
    return derive;
  }

  /** What a plain answer to a token request says; undefined for one that has to be judged. */
  #readToken(body: Uint8Array | undefined): TokenResult | undefined {
    const result = body === undefined ? undefined : readPlainSuccess(body)?.result;
    const { acs_token: acsToken, expire_dt: expireDt, ptn_cd: ptnCd } = result ?? {};
    if (typeof acsToken !== 'string' || acsToken === '') return undefined;
    if (typeof ptnCd !== 'string' || ptnCd === '' || typeof expireDt !== 'string') return undefined;
    if (expireDt !== this.#expireDt && parseExpireDt(expireDt) === undefined) return undefined;
    this.#expireDt = expireDt;
    return { acsToken, expireDt, ptnCd };
  }

  #nextTurn(): Turn {
    const { users, ptnTokens = [] } = this.#settings;
    const number = this.#number;
    this.#number += this.#step;
    const ptnToken = ptnTokens[number % ptnTokens.length];
    if (ptnToken !== undefined) return { ptnToken };
    const user = users[number % users.length];
    if (user === undefined) throw new TypeError('sign-ins without a user');
    return { ptnCd: user.ptnCd, ptnToken: this.#issue(user.ptnCd) };
  }

  /** A token that the emulated service takes. */
  #issue(ptnCd: string): string {
    const now = this.#environment.now();
    const known = this.#issued.get(ptnCd);
    if (known !== undefined && now - known.issuedAt < tokenAgeMs) return known.text;
    const { randomBytes } = this.#environment;
    const text = issuePtnToken(ptnCd, this.#issuer, { now: Math.floor(now), randomBytes });
    this.#issued.set(ptnCd, { text, issuedAt: now });
    return text;
  }
}
