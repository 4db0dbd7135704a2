import { encodeBase64Url, encodeHex, type RandomBytes } from '../bytes.ts';
import { checkPlaintexts, completeSignup, exchangeKey, type SignupStep } from '../client/signup.ts';
import type { Transport } from '../client/transport.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import type { Diagnosis } from '../errors.ts';
import { encodeUserInformation } from '../protocol/user-info.ts';
import { KeyExaminer, type KeyMemory } from './key-examiner.ts';
import type { Attempted, Scenario } from './scenario.ts';

/** What sign-ups are made of. */
export interface SignupSettings {
  readonly url: URL;
  readonly clientId: string;
  readonly cipher: Cipher;
  /** The service's key pairs, sent by turns; at least one. */
  readonly keyPairs: readonly RsaPrivateKey[];
  /** The text of everyone's user information; made up for each user by default, null for none. */
  readonly userInfo?: string | null;
}

export interface SignupEnvironment {
  readonly randomBytes: RandomBytes;
  readonly now: () => number;
  readonly keys: KeyMemory;
}

/** Signs made-up users up (section 1.2), as a single sign-up does, and compares their keys. */
export class SignupScenario implements Scenario {
  readonly #settings: SignupSettings;
  readonly #environment: SignupEnvironment;
  readonly #examiner: KeyExaminer;
  /** Shows where the users came from, and tells those of two runs apart. */
  readonly #prefix: string;
  #number = 0;

  constructor(settings: SignupSettings, environment: SignupEnvironment) {
    this.#settings = settings;
    this.#environment = environment;
    this.#examiner = new KeyExaminer(settings.clientId, environment);
    this.#prefix = `authcli-load-${encodeHex(environment.randomBytes(5))}-`;
  }

  async run(transport: Transport): Promise<Attempted> {
    const input = this.#nextInput();
    const first = await exchangeKey(transport, input);
    if (!first.ok || first.key === undefined) return attempted([first], first.diagnosis, first.key);
    const { ptnCd } = input;
    const key = first.key.reveal();
    const user = {
      ptnCd,
      key,
      superPasscode: input.superPasscode.reveal(),
      userInfo: input.userInfo?.reveal(),
    };
    const secrets = [first.key, input.superPasscode, input.userInfo] as const;
    const { repeated, weaknesses } = this.#examiner.examine(key, ptnCd);
    if (repeated !== undefined) {
      return { weaknesses, ...attempted([first], repeated, ...secrets) };
    }
    const { ok, steps, diagnosis } = await completeSignup(transport, input, first);
    return { user, weaknesses, ...attempted(steps, diagnosis, ...secrets), ok };
  }

  #nextInput() {
    const { url, clientId, cipher, keyPairs, userInfo } = this.#settings;
    const keyPair = keyPairs[this.#number % keyPairs.length];
    if (keyPair === undefined) throw new TypeError('sign-ups without a key pair');
    const ptnCd = `${this.#prefix}${this.#number}`;
    this.#number += 1;
    const { randomBytes, now } = this.#environment;
    const text = userInfo === undefined ? madeUpInformation(ptnCd) : userInfo;
    return {
      url,
      clientId,
      cipher,
      ptnCd,
      keyPair,
      superPasscode: Secret.text(encodeBase64Url(randomBytes(18))),
      userInfo: Secret.optional(text ?? undefined),
      randomBytes,
      now: now(),
      examinesStrength: false,
    };
  }
}

function attempted(
  steps: readonly SignupStep[],
  diagnosis: Diagnosis | undefined,
  ...secrets: readonly (Secret | undefined)[]
): Attempted {
  return {
    ok: false,
    answered: steps.some(({ exchange }) => (exchange.answer ?? exchange.partial) !== undefined),
    stepsMs: steps.map(({ exchange }) => exchange.durationMs),
    diagnosis,
    secrets: secrets.flatMap((secret) => secret?.reveal() ?? []),
  };
}

/**
 * Refuses what no key would help.
 * @throws AuthcliError `usage` for user information that the cipher can't take.
 */
export function checkSignupSettings({
  cipher,
  userInfo = madeUpInformation('x'),
}: Pick<SignupSettings, 'cipher' | 'userInfo'>): void {
  checkPlaintexts({
    cipher,
    superPasscode: Secret.text('x'.repeat(24)),
    userInfo: Secret.optional(userInfo ?? undefined),
  });
}

function madeUpInformation(ptnCd: string): string {
  return encodeUserInformation({
    email: `${ptnCd}@example.com`,
    name: 'Test User',
    phone: '+1-555-0100',
  });
}
