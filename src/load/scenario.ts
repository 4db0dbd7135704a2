import { encodeHex, encodeUtf8 } from '../bytes.ts';
import { hasResponse, type Transport } from '../client/exchange.ts';
import { checkPlaintexts, completeSignup, exchangeKey } from '../client/signup.ts';
import { type Cipher, parseCipher } from '../crypto/cipher.ts';
import { readPrivateKey } from '../crypto/key-reading.ts';
import { Secret } from '../crypto/secret.ts';
import { diagnosePerUserKey } from '../diagnosis/per-user-key.ts';
import type { Environment } from '../emulator/handling.ts';
import type { Diagnosis } from '../errors.ts';
import { Recent } from '../latest-results.ts';
import { generatePasscode, generateUserInformation } from '../protocol/user.ts';
import type { LoadTask } from './job.ts';

export interface Attempted {
  readonly ok: boolean;
  /** How long each call took, in milliseconds: the first, and the second if it was sent. */
  readonly stepsMs: readonly number[];
  readonly responded: boolean;
  readonly diagnosis?: Diagnosis;
  /** Values that a response may repeat and that must not be shown. */
  readonly secrets: readonly string[];
}

/**
 * Signs made-up users up (section 1.2), as a single sign-up does, and compares their keys; never rejects for the
 * application's faults.
 */
export function signUps(task: LoadTask, { randomBytes, now }: Environment) {
  const { clientId, userInfo } = task;
  const url = new URL(task.url);
  const cipher = parseCipher(task.cipher);
  const keyPairs = task.keyPairs.map((pem) => readPrivateKey(pem).key);
  const repetitionOf = keyMemory();
  // Shows where the users came from, and distinguishes those of two runs.
  const prefix = `authcli-load-${encodeHex(randomBytes(5))}-`;
  let number = 0;
  return async (transport: Transport): Promise<Attempted> => {
    const keyPair = keyPairs[number % keyPairs.length];
    if (keyPair === undefined) throw new TypeError('sign-ups without a key pair');
    const ptnCd = `${prefix}${number}`;
    number += 1;
    const superPasscode = Secret.text(generatePasscode(randomBytes));
    const info = userInfo === undefined ? generateUserInformation(ptnCd) : userInfo;
    const input = {
      url,
      clientId,
      cipher,
      ptnCd,
      inventsUser: true,
      keyPair,
      superPasscode,
      userInfo: Secret.optional(info ?? undefined),
      randomBytes,
      now: now(),
      examinesStrength: false,
    };
    const first = await exchangeKey(transport, input);
    const key = first.key?.reveal();
    const isExchanged = first.ok && key !== undefined;
    const wrong = isExchanged ? repetitionOf(key) : first.diagnosis;
    const { ok, steps, diagnosis } =
      isExchanged && wrong === undefined
        ? await completeSignup(transport, input, first)
        : { ok: false, steps: [first], diagnosis: wrong };
    const secrets = [key, superPasscode.reveal(), info];
    return {
      ok,
      responded: steps.some(({ exchange }) => hasResponse(exchange)),
      stepsMs: steps.map(({ exchange }) => exchange.durationMs),
      diagnosis,
      secrets: secrets.filter((value) => typeof value === 'string'),
    };
  };
}

/** Keys of these many users are compared. */
const mostKeys = 100_000;

/** Compares every key with those of other users. */
function keyMemory() {
  const keys = new Recent<string, true>(mostKeys);
  let count = 0;
  /** What is wrong with a key that came before. */
  return (key: string): Diagnosis | undefined => {
    const isKnown = keys.has(key);
    const earlierKeys = Array<string>(keys.size === 1 ? Math.min(count, 2) : 1).fill(key);
    count += 1;
    keys.set(key, true);
    if (!isKnown) return undefined;
    const { diagnoses } = diagnosePerUserKey(encodeUtf8(key), { earlierKeys });
    return diagnoses.find(({ code }) => code === 'key-repeated' || code === 'key-constant');
  };
}

/**
 * Refuses settings that are wrong for every key.
 * @throws AuthcliError `usage` for user information that the cipher can't take.
 */
export function checkSignupSettings(
  cipher: Cipher,
  userInfo: string | null = generateUserInformation('x'),
): void {
  checkPlaintexts({
    cipher,
    superPasscode: Secret.text('x'.repeat(24)),
    userInfo: Secret.optional(userInfo ?? undefined),
  });
}
