import { encodeHex } from '../bytes.ts';
import { hasResponse, type Transport } from '../client/exchange.ts';
import { checkPlaintexts, completeSignup, exchangeKey, type SignupStep } from '../client/signup.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { parseCipher } from '../crypto/cipher-notation.ts';
import { readPrivateKey } from '../crypto/key-reading.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import type { Environment } from '../emulator/handling.ts';
import type { Diagnosis } from '../errors.ts';
import { generatePasscode, generateUserInformation } from '../protocol/defaults.ts';
import type { LoadTask } from './job.ts';
import { KeyExaminer, KeyMemory } from './key-examiner.ts';

/** What became of one sign-up. */
export interface Attempted {
  readonly ok: boolean;
  /** How long each call took, in milliseconds: the first, and the second if it was sent. */
  readonly stepsMs: readonly number[];
  /** Whether any response came, right or wrong. */
  readonly responded: boolean;
  /** Why it failed. */
  readonly diagnosis?: Diagnosis;
  /** Values that a response may repeat and that must not be shown. */
  readonly secrets?: readonly string[];
  /** Weaknesses of a key that was examined thoroughly; absent if it wasn't. */
  readonly weaknesses?: readonly Diagnosis[];
}

/** A task whose texts are parsed. */
export interface SignupSettings extends Pick<LoadTask, 'clientId' | 'userInfo'> {
  readonly url: URL;
  readonly cipher: Cipher;
  /** At least one. */
  readonly keyPairs: readonly RsaPrivateKey[];
}

/** Signs made-up users up (section 1.2), as a single sign-up does, and compares their keys. */
export class SignupScenario {
  readonly #settings: SignupSettings;
  readonly #environment: Environment;
  readonly #examiner: KeyExaminer;
  /** Shows where the users came from, and distinguishes those of two runs. */
  readonly #prefix: string;
  #number = 0;

  /** As one of several threads runs it, which share `keys`. */
  constructor(task: LoadTask, keys: SharedArrayBuffer, environment: Environment) {
    this.#settings = {
      ...task,
      url: new URL(task.url),
      cipher: parseCipher(task.cipher),
      keyPairs: task.keyPairs.map((pem) => readPrivateKey(pem).key),
    };
    this.#environment = environment;
    this.#examiner = new KeyExaminer(task.clientId, { ...environment, keys: new KeyMemory(keys) });
    this.#prefix = `authcli-load-${encodeHex(environment.randomBytes(5))}-`;
  }

  /** Signs one user up; never rejects for the application's faults. */
  async run(transport: Transport): Promise<Attempted> {
    const input = this.#nextInput();
    const first = await exchangeKey(transport, input);
    if (!first.ok || first.key === undefined) return attempted([first], first.diagnosis, first.key);
    const secrets = [first.key, input.superPasscode, input.userInfo] as const;
    const { repeated, weaknesses } = this.#examiner.examine(first.key.reveal(), input.ptnCd);
    if (repeated !== undefined) {
      return { weaknesses, ...attempted([first], repeated, ...secrets) };
    }
    const { ok, steps, diagnosis } = await completeSignup(transport, input, first);
    return { weaknesses, ...attempted(steps, diagnosis, ...secrets), ok };
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
