import { decodeUtf8 } from '../bytes.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { rsadp } from '../crypto/rsaes-pkcs1-v1_5.ts';
import type { Diagnosis } from '../errors.ts';
import { diagnose } from './catalogue.ts';
import { diagnosePerUserKey, type PerUserKeyContext, zeroBytes } from './per-user-key.ts';
import { openBlock } from './wrapped-key-block.ts';
import { readWrappedText, shortestCiphertext, usualModulusBytes } from './wrapped-key-text.ts';

interface WrappedKeyContext extends PerUserKeyContext {
  /** The private half of the `public_key` that was sent. */
  readonly privateKey: RsaPrivateKey;
  /** Keys whose public halves were sent earlier. */
  readonly otherPrivateKeys?: readonly RsaPrivateKey[];
}

export interface WrappedKeyFinding {
  /** The key that could be read, from a damaged wrap too: a secret. */
  readonly key?: string;
  /** Whether it decrypts as the interface says (2.2) to 32 characters; it may still be weak. */
  readonly ok: boolean;
  /** Every cause, outermost first; weaknesses of the key last. */
  readonly diagnoses: readonly Diagnosis[];
  /** What is harmless and still not exact, as sentences without a full stop. */
  readonly notes: readonly string[];
}

/** Opens an `enc_partner_key` however it was made, and names everything that breaks 2.2 and 4.1.1. */
export function diagnoseWrappedKey(
  encPartnerKey: string,
  context: WrappedKeyContext,
): WrappedKeyFinding {
  const keys = [context.privateKey, ...(context.otherPrivateKeys ?? [])];
  const sizes = [...new Set(keys.map(({ modulusBytes }) => modulusBytes))];
  const { bytes, plainKey, diagnoses: outer, notes } = readWrappedText(encPartnerKey, sizes);
  if (plainKey !== undefined) {
    const { diagnoses } = diagnosePerUserKey(Buffer.from(plainKey), context);
    return { key: plainKey, ok: false, diagnoses: [...outer, ...diagnoses], notes };
  }
  if (bytes === undefined) return { ok: false, diagnoses: outer, notes };
  const { message, diagnoses: around } = openCiphertext(bytes, context);
  const wrap = [...outer, ...around];
  const isEmpty = message?.length === 0;
  if (message === undefined || (isEmpty && wrap.length > 0)) {
    return { ok: false, diagnoses: wrap, notes };
  }
  const { key, isWellFormed, diagnoses: inside } = diagnosePerUserKey(message, context);
  const ok = wrap.length === 0 && isWellFormed;
  const diagnoses = [...wrap, ...inside];
  return { ok, diagnoses, notes, ...(key !== undefined && !isEmpty && { key }) };
}

/**
 * What can be said of an `enc_partner_key` without the private key: its encoding, and its length where
 * that of the modulus is known.
 */
export function diagnoseWrappedForm(
  encPartnerKey: string,
  modulusBytes: readonly number[],
): WrappedKeyFinding {
  const { bytes, plainKey: key, diagnoses, notes } = readWrappedText(encPartnerKey, modulusBytes);
  const isWrong =
    bytes !== undefined && modulusBytes.length > 0 && !modulusBytes.includes(bytes.length);
  const length = diagnose(
    'wrong-length',
    `enc_partner_key has ${bytes?.length} bytes, where the public_key of the request gives ${modulusBytes[0]}.`,
  );
  const all = isWrong ? [...diagnoses, length] : diagnoses;
  return { ok: all.length === 0, diagnoses: all, notes, ...(key !== undefined && { key }) };
}

interface OpenedCiphertext {
  readonly message?: Uint8Array;
  readonly diagnoses: readonly Diagnosis[];
}

const mostOtherKeys = 32;

/**
 * The first that leads to a text wins: as it is, reversed, with the other keys. Noise under the key of
 * the request counts where nothing does: a block of another key looks padded once in 100,000 times.
 */
function openCiphertext(bytes: Uint8Array, context: WrappedKeyContext): OpenedCiphertext {
  const { privateKey, otherPrivateKeys = [] } = context;
  const { fingerprint } = privateKey.publicKey;
  const others = otherPrivateKeys
    .slice(0, mostOtherKeys)
    .filter(
      (key) => key.publicKey.fingerprint !== fingerprint && key.modulusBytes === bytes.length,
    );
  let noise: OpenedCiphertext | undefined;
  let unchanged: Uint8Array | undefined;
  for (const key of [privateKey, ...others]) {
    const resized = resize(bytes, key.modulusBytes);
    if (resized === undefined) continue;
    const around = [...(key === privateKey ? [] : [earlier(key, context)]), ...resized.diagnoses];
    for (const isReversed of [false, true]) {
      const { ciphertext } = resized;
      const block = rsadp(key, isReversed ? ciphertext.toReversed() : ciphertext);
      const isUnchanged = around.length === 0 && !isReversed;
      if (isUnchanged) unchanged = block;
      const opened = block && openBlock(block);
      if (opened === undefined) continue;
      const { message, diagnosis } = opened;
      const diagnoses = [...around, isReversed ? reversed : [], diagnosis ?? []].flat();
      if (diagnosis !== undefined || isText(message)) return { message, diagnoses };
      if (isUnchanged) noise = { message, diagnoses };
    }
  }
  return noise ?? { diagnoses: [unopened(bytes, context, unchanged)] };
}

const reversed = diagnose(
  'key-bytes-reversed',
  'The ciphertext decrypts once its bytes are reversed: it is little-endian.',
);

function earlier(key: RsaPrivateKey, { privateKey }: WrappedKeyContext): Diagnosis {
  return diagnose(
    'earlier-public-key',
    `The key was wrapped with an earlier public key (${key.publicKey.fingerprint}), not with the one of this request (${privateKey.publicKey.fingerprint}).`,
  );
}

function unopened(
  bytes: Uint8Array,
  { privateKey, otherPrivateKeys = [] }: WrappedKeyContext,
  block: Uint8Array | undefined,
): Diagnosis {
  const { modulusBytes } = privateKey;
  if (bytes.length !== modulusBytes) {
    return wrongLength(bytes, modulusBytes, lengthReason(bytes, modulusBytes));
  }
  const seen =
    block === undefined
      ? 'as a number it is larger than the modulus, which a ciphertext of this key never is'
      : `the decrypted block has no padding structure${showStart(block)}`;
  const others = otherPrivateKeys.length;
  const tried =
    others === 0
      ? ''
      : `, and ${others === 1 ? "an earlier key doesn't" : `${others} earlier keys don't`} decrypt it either`;
  return diagnose(
    'other-public-key',
    `It has the right length but was encrypted with a public key other than that of this request (${privateKey.publicKey.fingerprint}): ${seen}${tried}.`,
  );
}

/** The first bytes of a block, unless they might be characters of a key. */
function showStart(block: Uint8Array): string {
  const start = [...block.subarray(0, 4)];
  if (start.every((octet) => octet >= 0x20 && octet < 0x7f)) return '';
  // RFC 8017 7.2.2 step 3: at least eight other bytes come before the zero.
  if (start[0] === 0 && start[1] === 2) return ' after 00 02';
  const shown = start.map((octet) => octet.toString(16).padStart(2, '0'));
  return ` (it begins with ${shown.join(' ')} … where 00 02 belongs)`;
}

function isText(message: Uint8Array): boolean {
  const text = decodeUtf8(message);
  return text !== undefined && text !== '' && !/[^ -~\u00a0-\uffff\r\n\0]/.test(text);
}

/** The ciphertext in the length of the modulus; undefined where no usual mistake explains its own. */
function resize(
  bytes: Uint8Array,
  modulusBytes: number,
): { ciphertext: Uint8Array; diagnoses: readonly Diagnosis[] } | undefined {
  const surplus = bytes.length - modulusBytes;
  const resized = (ciphertext: Uint8Array, seen: string) => ({
    ciphertext,
    diagnoses: [wrongLength(bytes, modulusBytes, seen)],
  });
  if (surplus === 0) return { ciphertext: bytes, diagnoses: [] };
  if (surplus < 0) {
    if (bytes.length < shortestCiphertext) return undefined;
    const whole = Buffer.concat([new Uint8Array(-surplus), bytes]);
    return resized(whole, `${zeroBytes(-surplus)} dropped from the front, as BigInteger does`);
  }
  if (bytes.subarray(0, surplus).every((octet) => octet === 0)) {
    const seen = `${zeroBytes(surplus)} in front, such as BigInteger's sign byte`;
    return resized(bytes.subarray(surplus), seen);
  }
  if (bytes.length % modulusBytes !== 0) return undefined;
  const blocks = bytes.length / modulusBytes;
  const seen = `${blocks} ciphertexts, of which the first was decrypted`;
  return resized(bytes.subarray(0, modulusBytes), seen);
}

function wrongLength(bytes: Uint8Array, modulusBytes: number, seen: string): Diagnosis {
  const message = `The ciphertext has ${bytes.length} bytes; the public_key in the request gives ${modulusBytes}: ${seen}.`;
  return diagnose('wrong-length', message, { bytes: bytes.length, expected_bytes: modulusBytes });
}

function lengthReason(bytes: Uint8Array, modulusBytes: number): string {
  const { length } = bytes;
  if (usualModulusBytes.includes(length)) {
    return `${length} is what a key of ${length * 8} bits gives, so another key was used`;
  }
  if (length === 0) return 'it is empty';
  if (length < shortestCiphertext) return 'too few for an RSA ciphertext';
  return length < modulusBytes
    ? 'it was truncated, or encrypted with another key'
    : 'it contains something else';
}
