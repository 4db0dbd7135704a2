import { encodeHex, encodeUtf8 } from '../bytes.ts';
import { hasResponse, type Transport } from '../client/exchange.ts';
import { checkPlaintexts, completeSignup, exchangeKey, type SignupStep } from '../client/signup.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { parseCipher } from '../crypto/cipher-notation.ts';
import { readPrivateKey } from '../crypto/key-reading.ts';
import { Secret } from '../crypto/secret.ts';
import { diagnosePerUserKey } from '../diagnosis/per-user-key.ts';
import type { Environment } from '../emulator/handling.ts';
import type { Diagnosis } from '../errors.ts';
import { generatePasscode, generateUserInformation } from '../protocol/defaults.ts';
import type { LoadTask } from './job.ts';

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
  readonly secrets: readonly string[];
  /** Weaknesses of a key that was examined thoroughly; absent if it wasn't. */
  readonly weaknesses?: readonly Diagnosis[];
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
  const examine = keyExaminer(clientId, now);
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
      ...{ url, clientId, cipher, ptnCd, inventsUser: true, keyPair, superPasscode },
      userInfo: Secret.optional(info ?? undefined),
      ...{ randomBytes, now: now(), examinesStrength: false },
    };
    const first = await exchangeKey(transport, input);
    const key = first.key?.reveal();
    const secrets = [key, superPasscode.reveal(), info].filter(
      (value) => typeof value === 'string',
    );
    if (!first.ok || key === undefined) return failed([first], first.diagnosis, secrets);
    const { repeated, weaknesses } = examine(key, ptnCd);
    if (repeated !== undefined) return { ...failed([first], repeated, secrets), weaknesses };
    const { ok, steps, diagnosis } = await completeSignup(transport, input, first);
    return { ...failed(steps, diagnosis, secrets), ok, weaknesses };
  };
}

function failed(
  steps: readonly SignupStep[],
  diagnosis: Diagnosis | undefined,
  secrets: readonly string[],
): Attempted {
  return {
    ok: false,
    responded: steps.some(({ exchange }) => hasResponse(exchange)),
    stepsMs: steps.map(({ exchange }) => exchange.durationMs),
    diagnosis,
    secrets,
  };
}

/** Keys of these many users are compared. */
const mostKeys = 100_000;

/**
 * The first keys are examined thoroughly, then a sample. To find a key derived from the user code or
 * the time, or of too few characters, takes ten times as long as a sign-up, and an application that
 * makes such keys makes them always.
 */
const examinedFirst = 10;
const examinedOneIn = 10_000;

/** Compares every key with those of other users, and examines a sample as thoroughly as a single one. */
function keyExaminer(clientId: string, now: () => number) {
  const keys = new Set<string>();
  let count = 0;
  return (key: string, ptnCd: string) => {
    const isKnown = keys.has(key);
    const isExamined = count < examinedFirst || count % examinedOneIn === 0;
    const alike = keys.size === 1 ? Math.min(count, 2) : 1;
    count += 1;
    keys.add(key);
    const [oldest] = keys;
    if (keys.size > mostKeys && oldest !== undefined) keys.delete(oldest);
    if (!isKnown && !isExamined) return {};
    const earlierKeys = isKnown ? Array<string>(alike).fill(key) : [];
    const context = { ptnCd, clientId, now: now(), earlierKeys };
    const { diagnoses } = diagnosePerUserKey(encodeUtf8(key), context);
    const repeated = isKnown ? diagnoses.find(({ code }) => repetitions.has(code)) : undefined;
    if (repeated === undefined) return { weaknesses: diagnoses };
    return { repeated, weaknesses: isExamined ? [] : undefined };
  };
}

const repetitions: ReadonlySet<string> = new Set(['key-repeated', 'key-constant']);

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
