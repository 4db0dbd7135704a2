import { constantTimeEqual, decodeBase64Lenient, decodeHex, decodeUtf8 } from '../bytes.ts';
import { algorithmOf, type Cipher, isBlockMode, isSalted } from '../crypto/cipher.ts';
import {
  type DecryptResult,
  decryptBytes,
  decryptPadded,
  type PayloadFailure,
} from '../crypto/payload-ciphers.ts';
import { decodePayload, headerBytes } from '../crypto/payload-format.ts';
import { isPlausiblePlaintext } from './plausibility.ts';

/** One encrypted field of a registration, with its plaintext; undefined for a malformed one. */
export interface SentPayload {
  readonly payload: string;
  readonly plaintext?: Uint8Array;
}

export interface Observation {
  readonly key: string;
  /** `partner_sp` first, `ubifill` after it where it was sent. */
  readonly payloads: readonly SentPayload[];
  readonly accepted: boolean;
}

/** What an application of a certain cipher makes of a payload, by how much it takes to notice a fault. */
const impressions = {
  rightText: 0,
  otherCleanText: 1,
  otherUtf8: 2,
  noise: 3,
  /** A ciphertext of no bytes: some libraries decrypt it to nothing, others refuse it. */
  nothing: 4,
  failedCheck: 5,
  /** A text that can't be such a payload by its characters or its length. */
  unusable: 6,
} as const;

type Impression = (typeof impressions)[keyof typeof impressions];

/** How closely an application checks one decrypted field. */
interface Care {
  /** The worst impression that it still accepts. */
  readonly attention: Impression;
  /** Takes a ciphertext of no bytes for an empty text. */
  readonly takesNothing: boolean;
}

const either = [true, false];

const cares: readonly Care[] = ([0, 1, 2, 3] as const).flatMap((attention) =>
  either.map((takesNothing) => ({ attention, takesNothing })),
);

/** `ubifill` need not be decrypted (4.1.2 rule 2). */
const userInfoCares: readonly Care[] = [
  ...cares,
  { attention: impressions.unusable, takesNothing: true },
];

/** How an application's decoder and unpadding treat what is not right. */
interface Reader {
  readonly decodesLeniently: boolean;
  /** Cuts as many bytes off as the last byte says, without checking it. */
  readonly lastByte?: LastByteRule;
}

/** What is left where the last byte is 0, and where it counts more bytes than there are. */
interface LastByteRule {
  readonly zero: 'whole' | 'empty';
  /** `from-end`: a negative end counts from the end again, as in JavaScript's `slice`. */
  readonly over: 'empty' | 'from-end' | 'refused';
}

const lastByteRules: readonly LastByteRule[] = (['whole', 'empty'] as const).flatMap((zero) =>
  (['empty', 'from-end', 'refused'] as const).map((over) => ({ zero, over })),
);

/** Only the padding whose count alone is fixed can have been cut off unchecked. */
function readersOf(cipher: Cipher): readonly Reader[] {
  const isCounted = isBlockMode(algorithmOf(cipher).mode) && cipher.padding === 'iso10126';
  const rules = isCounted ? [undefined, ...lastByteRules] : [undefined];
  return either.flatMap((decodesLeniently) =>
    rules.map((lastByte) => ({ decodesLeniently, ...(lastByte && { lastByte }) })),
  );
}

/**
 * Whether an application of `cipher` could have accepted and refused just this, whatever its care,
 * decoder and unpadding. Noise whose padding is right by chance doesn't speak against it: every
 * payload is decrypted to see what the application saw.
 */
export function explainsResponses(cipher: Cipher, observations: readonly Observation[]): boolean {
  return readersOf(cipher).some((reader) => {
    const seen = observations.map(({ key, payloads, accepted }) => ({
      accepted,
      fields: payloads.map((sent) => impressionOf(sent, key, cipher, reader)),
    }));
    return cares.some((passcode) =>
      userInfoCares.some((userInfo) =>
        seen.every(({ fields, accepted }) => accepts(fields, passcode, userInfo) === accepted),
      ),
    );
  });
}

/** The same of `cipher`, or of one that differs from it only in cutting its padding off unchecked. */
export function couldExplain(cipher: Cipher, observations: readonly Observation[]): boolean {
  const loose: Cipher = { ...cipher, padding: 'iso10126' };
  const isPadded = isBlockMode(algorithmOf(cipher).mode);
  return (
    explainsResponses(cipher, observations) || (isPadded && explainsResponses(loose, observations))
  );
}

function accepts(fields: readonly Impression[], passcode: Care, userInfo: Care): boolean {
  return fields.every((impression, index) => passes(impression, index === 0 ? passcode : userInfo));
}

function passes(impression: Impression, { attention, takesNothing }: Care): boolean {
  return impression <= attention || (impression === impressions.nothing && takesNothing);
}

/**
 * Whether something was refused that an application of `cipher` can only refuse by checking what it
 * has decrypted. Without that nothing speaks for a cipher without padding and tag, which decrypts
 * every payload of the right length.
 */
export function isBorneOut(cipher: Cipher, observations: readonly Observation[]): boolean {
  return observations.some(({ key, payloads, accepted }) => {
    if (accepted) return false;
    const worst = Math.max(...payloads.map((sent) => impressionOf(sent, key, cipher, strictly)));
    return worst === impressions.noise || worst === impressions.failedCheck;
  });
}

const strictly: Reader = { decodesLeniently: false };
const leniently: Reader = { decodesLeniently: true };

/** Whether an application of `cipher` gets what was sent from every payload, to the byte. */
export function readsExactly(cipher: Cipher, { key, payloads }: Observation): boolean {
  return payloads.every(
    (sent) => impressionOf(sent, key, cipher, leniently) === impressions.rightText,
  );
}

/** Whether an application of `cipher` gets a text, rather than noise, from every payload. */
export function readsAsText(cipher: Cipher, { key, payloads }: Observation): boolean {
  return payloads.every(
    (sent) => impressionOf(sent, key, cipher, leniently) <= impressions.otherUtf8,
  );
}

function impressionOf(
  { payload, plaintext }: SentPayload,
  key: string,
  cipher: Cipher,
  { decodesLeniently, lastByte }: Reader,
): Impression {
  const bytes = decode(payload, cipher, decodesLeniently);
  if (bytes === undefined) return impressions.unusable;
  const result =
    lastByte === undefined
      ? decryptBytes(bytes, key, cipher)
      : decryptByLastByte(bytes, key, cipher, lastByte);
  if (!result.ok) return impressionOfFailure(result.failure, bytes, cipher);
  if (result.plaintext.length === 0) return impressions.nothing;
  if (plaintext !== undefined && constantTimeEqual(result.plaintext, plaintext)) {
    return impressions.rightText;
  }
  if (isPlausiblePlaintext(result.plaintext)) return impressions.otherCleanText;
  return decodeUtf8(result.plaintext) === undefined ? impressions.noise : impressions.otherUtf8;
}

function decryptByLastByte(
  bytes: Uint8Array,
  key: string,
  cipher: Cipher,
  { zero, over }: LastByteRule,
): DecryptResult {
  const padded = decryptPadded(bytes, key, cipher);
  if (!padded.ok) return padded;
  const { plaintext } = padded;
  const count = plaintext.at(-1) ?? 0;
  if (count === 0) return { ok: true, plaintext: zero === 'whole' ? plaintext : new Uint8Array(0) };
  const left = plaintext.length - count;
  if (left >= 0) return { ok: true, plaintext: plaintext.subarray(0, left) };
  if (over === 'refused') return { ok: false, failure: 'bad-padding', detail: '' };
  return { ok: true, plaintext: plaintext.subarray(0, over === 'from-end' ? left : 0) };
}

/** Of bytes that are all IV, without salt and tag, some libraries make an empty text. */
function impressionOfFailure(
  failure: PayloadFailure,
  bytes: Uint8Array,
  cipher: Cipher,
): Impression {
  if (failure === 'bad-padding' || failure === 'bad-tag') return impressions.failedCheck;
  const isHeaderAlone =
    cipher.tag === undefined && !isSalted(cipher.key) && bytes.length === headerBytes(cipher);
  return isHeaderAlone ? impressions.nothing : impressions.unusable;
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
