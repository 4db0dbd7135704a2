import { encodeHex } from '../bytes.ts';
import { hasResponse } from '../client/exchange.ts';
import { checkPlaintexts, completeSignup, exchangeKey, type SignupStep } from '../client/signup.ts';
import type { Transport } from '../client/transport.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import type { Environment } from '../emulator/handling.ts';
import type { Diagnosis } from '../errors.ts';
import { generatePasscode, generateUserInformation } from '../protocol/defaults.ts';
import type { SignupJob } from './job.ts';
import { KeyExaminer, type KeyMemory } from './key-examiner.ts';
import type { Attempted, Scenario } from './scenario.ts';

/** A task whose texts are parsed. */
export interface SignupSettings extends Pick<SignupJob, 'clientId' | 'userInfo'> {
  readonly url: URL;
  readonly cipher: Cipher;
  /** At least one. */
  readonly keyPairs: readonly RsaPrivateKey[];
}

export interface SignupEnvironment extends Environment {
  readonly keys: KeyMemory;
}

/** Signs made-up users up (section 1.2), as a single sign-up does, and compares their keys. */
export class SignupScenario implements Scenario {
  readonly #settings: SignupSettings;
  readonly #environment: SignupEnvironment;
  readonly #examiner: KeyExaminer;
  /** Shows where the users came from, and distinguishes those of two runs. */
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
    const text = userInfo === undefined ? generateUserInformation(ptnCd) : userInfo;
    return {
      url,
      clientId,
      cipher,
      ptnCd,
      inventsUser: true,
      keyPair,
      superPasscode: Secret.text(generatePasscode(randomBytes)),
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
    responded: steps.some(({ exchange }) => hasResponse(exchange)),
    stepsMs: steps.map(({ exchange }) => exchange.durationMs),
    diagnosis,
    secrets: secrets.flatMap((secret) => secret?.reveal() ?? []),
  };
}

/**
 * Refuses settings that are wrong for every key.
 * @throws AuthcliError `usage` for user information that the cipher can't take.
 */
export function checkSignupSettings({
  cipher,
  userInfo = generateUserInformation('x'),
}: Pick<SignupSettings, 'cipher' | 'userInfo'>): void {
  checkPlaintexts({
    cipher,
    superPasscode: Secret.text('x'.repeat(24)),
    userInfo: Secret.optional(userInfo ?? undefined),
  });
}
