import { hasResponse } from '../client/exchange.ts';
import { signIn } from '../client/signin.ts';
import type { Transport } from '../client/transport.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { Secret } from '../crypto/secret.ts';
import type { Environment } from '../emulator/handling.ts';
import { issuePtnToken } from '../emulator/tokens.ts';
import type { LoadJob, SigninJob, SigninUser } from './job.ts';
import type { Attempted, Scenario } from './scenario.ts';

/** A task whose cipher is parsed. */
export interface SigninSettings extends Omit<SigninJob, 'scenario' | 'cipher'> {
  readonly cipher: Cipher;
}

interface Turn {
  readonly ptnToken: string;
  /** Absent for a token of an unknown user. */
  readonly ptnCd?: string;
}

/** How long an issued token is reused: it is valid for ten minutes. */
const tokenAgeMs = 300_000;

/** Signs known users in (section 1.3), as a single sign-in does. */
export class SigninScenario implements Scenario {
  readonly #settings: SigninSettings;
  readonly #secretKey: Secret;
  readonly #environment: Environment;
  readonly #step: number;
  readonly #known: ReadonlyMap<string, SigninUser>;
  readonly #issued = new Map<string, { readonly text: string; readonly issuedAt: number }>();
  #number: number;

  /** Of several threads each takes every nth user. */
  constructor(
    settings: SigninSettings,
    environment: Environment,
    { index, threads }: Pick<LoadJob, 'index' | 'threads'>,
  ) {
    this.#settings = settings;
    this.#secretKey = Secret.text(settings.secretKey);
    this.#environment = environment;
    this.#known = new Map(settings.users.map((user) => [user.ptnCd, user]));
    this.#number = index;
    this.#step = threads;
  }

  async run(transport: Transport): Promise<Attempted> {
    const { authUrl, clientId, cipher } = this.#settings;
    const { ptnToken, ptnCd: expectedPtnCd } = this.#nextTurn();
    const { ok, token, authenticate, diagnosis, ptnCd } = await signIn(transport, {
      authUrl,
      clientId,
      secretKey: this.#secretKey,
      ptnToken: Secret.text(ptnToken),
      expectedPtnCd,
      cipher,
      lookUpUser: (code) => this.#secretsOf(code),
    });
    const exchanges = [token, authenticate].flatMap((call) => call?.exchange ?? []);
    const stepsMs = exchanges.map(({ durationMs }) => durationMs);
    const responded = exchanges.some(hasResponse);
    const { key, superPasscode } = this.#known.get(ptnCd ?? '') ?? {};
    const values = [this.#settings.secretKey, ptnToken, token.result?.acsToken, key, superPasscode];
    const secrets = values.filter((value) => value !== undefined);
    return { ok, responded, stepsMs, diagnosis, secrets };
  }

  #secretsOf(ptnCd: string) {
    const { key, superPasscode } = this.#known.get(ptnCd) ?? {};
    return { key: Secret.optional(key), superPasscode: Secret.optional(superPasscode) };
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

  /** A token that the emulated service accepts. */
  #issue(ptnCd: string): string {
    const now = this.#environment.now();
    const known = this.#issued.get(ptnCd);
    if (known !== undefined && now - known.issuedAt < tokenAgeMs) return known.text;
    const { randomBytes } = this.#environment;
    const issuer = { clientId: this.#settings.clientId, secretKey: this.#secretKey };
    const text = issuePtnToken(ptnCd, issuer, { now: Math.floor(now), randomBytes });
    this.#issued.set(ptnCd, { text, issuedAt: now });
    return text;
  }
}
