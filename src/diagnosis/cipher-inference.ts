import { constantTimeEqual, decodeBase64Lenient, decodeHex, decodeUtf8 } from '../bytes.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { isSalted } from '../crypto/cipher.ts';
import { prepareKey } from '../crypto/key-derivation.ts';
import { decryptBytes, type PayloadFailure } from '../crypto/payload-ciphers.ts';
import { decodePayload } from '../crypto/payload-encoding.ts';
import { headerBytes } from '../crypto/payload-layout.ts';
import { isPlausiblePlaintext } from './plausibility.ts';

/** One encrypted field of a registration, and what it holds under the cipher that it was made with. */
export interface SentPayload {
  readonly payload: string;
  /** Undefined for one that was spoilt on purpose. */
  readonly plaintext?: Uint8Array;
}

/** A registration that was sent, and whether it was accepted. */
export interface Observation {
  readonly key: string;
  /** `partner_sp` first, `ubifill` after it where it was sent. */
  readonly payloads: readonly SentPayload[];
  readonly accepted: boolean;
}

/**
 * What an application of a certain cipher would make of a payload, by how much it takes to notice
 * that something is wrong:
 *
 * 0 the right text, 1 other clean text, 2 other UTF-8, 3 noise, 4 nothing at all (a ciphertext of no
 * bytes, which some libraries decrypt to nothing and others refuse), 5 a padding or tag that is wrong,
 * 6 a text that can't be such a payload at all, by its characters or its length
 */
type Impression = 0 | 1 | 2 | 3 | 4 | 5 | 6;

const noise = 3;
const nothing = 4;
const failedCheck = 5;

const attentions: readonly Impression[] = [0, 1, 2, 3];

/** What applications of one cipher differ in, as far as a registration shows it. */
interface Habits {
  /** Decrypts `ubifill` too, which it need not (4.1.2 rule 2). */
  readonly looksAtAll: boolean;
  /** Takes a ciphertext of no bytes for an empty text. */
  readonly takesNothing: boolean;
  /** The worst impression that it still accepts: how closely it looks at what it has decrypted. */
  readonly attention: Impression;
}

const either = [true, false];

const habits: readonly Habits[] = either.flatMap((looksAtAll) =>
  either.flatMap((takesNothing) =>
    attentions.map((attention) => ({ looksAtAll, takesNothing, attention })),
  ),
);

/**
 * Whether an application that decrypts with `cipher` could have answered every registration as it
 * did, whatever its habits, and whether its decoder is strict or lenient. What it accepted although the cipher can't decrypt it speaks against the
 * cipher, and so does the refusal of what it reads rightly; an accident (noise whose padding is
 * right) doesn't, since it is reckoned with by decrypting each payload.
 */
export function explainsAnswers(cipher: Cipher, observations: readonly Observation[]): boolean {
  return either.some((decodesLeniently) => {
    const seen = observations.map(({ key, payloads, accepted }) => ({
      accepted,
      impressions: payloads.map((sent) => impressionOf(sent, key, cipher, decodesLeniently)),
    }));
    return habits.some((kind) =>
      seen.every(({ impressions, accepted }) => accepts(impressions, kind) === accepted),
    );
  });
}

function accepts(
  impressions: readonly Impression[],
  { looksAtAll, takesNothing, attention }: Habits,
): boolean {
  const seen = looksAtAll ? impressions : impressions.slice(0, 1);
  return seen.every(
    (impression) => impression <= attention || (impression === nothing && takesNothing),
  );
}

/**
 * Whether something was refused that an application of `cipher` can only refuse by looking at what it
 * has decrypted. Without that nothing speaks for the cipher: one without padding and tag makes
 * something of every payload of the right length, and so does any other such one.
 */
export function isBorneOut(cipher: Cipher, observations: readonly Observation[]): boolean {
  return observations.some(({ key, payloads, accepted }) => {
    if (accepted) return false;
    const worst = Math.max(...payloads.map((sent) => impressionOf(sent, key, cipher, false)));
    return worst === noise || worst === failedCheck;
  });
}

/**
 * Whether an application of `cipher` gets a text, rather than noise, from every payload: then it
 * makes no difference which of the two ciphers it has.
 */
export function readsAsText(cipher: Cipher, { key, payloads }: Observation): boolean {
  return payloads.every((sent) => impressionOf(sent, key, cipher, true) <= 2);
}

function impressionOf(
  { payload, plaintext }: SentPayload,
  key: string,
  cipher: Cipher,
  decodesLeniently: boolean,
): Impression {
  const bytes = decode(payload, cipher, decodesLeniently);
  if (bytes === undefined) return 6;
  const result = decryptBytes(bytes, prepareKey(key), cipher);
  if (!result.ok) return impressionOfFailure(result.failure, bytes, cipher);
  if (result.plaintext.length === 0) return nothing;
  if (plaintext !== undefined && constantTimeEqual(result.plaintext, plaintext)) return 0;
  if (isPlausiblePlaintext(result.plaintext)) return 1;
  return decodeUtf8(result.plaintext) === undefined ? 3 : 2;
}

function impressionOfFailure(
  failure: PayloadFailure,
  bytes: Uint8Array,
  cipher: Cipher,
): Impression {
  if (failure === 'bad-padding' || failure === 'bad-tag') return failedCheck;
  return isHeaderAlone(bytes, cipher) ? nothing : 6;
}

/** Lenient decoders take both alphabets of Base64, and many pass over what is in neither. */
function decode(payload: string, { encoding }: Cipher, leniently: boolean): Uint8Array | undefined {
  if (!leniently) {
    const decoded = decodePayload(payload, encoding);
    return decoded.ok ? decoded.bytes : undefined;
  }
  if (!/[A-Za-z0-9]/.test(payload)) return new Uint8Array(0);
  return encoding === 'hex' ? decodeHex(payload) : decodeBase64Lenient(payload);
}

function isHeaderAlone(bytes: Uint8Array, cipher: Cipher): boolean {
  return cipher.tag === undefined && !isSalted(cipher.key) && bytes.length === headerBytes(cipher);
}
