import { decodeUtf8 } from '../bytes.ts';
import type { RsaPrivateKey } from '../crypto/rsa-key.ts';
import { rsadp } from '../crypto/rsaes-pkcs1-v1_5.ts';
import type { Diagnosis } from '../errors.ts';
import type { WrappedKeyContext } from './wrapped-key.ts';
import { type OpenedBlock, openBlock } from './wrapped-key-block.ts';
import { resize, unexplainedLength } from './wrapped-key-length.ts';
import { diagnoseWrap, firstBytes } from './wrapped-key-words.ts';

/** What a ciphertext opened to, if anything, and what was wrong with it, outermost first. */
export interface OpenedCiphertext {
  readonly message?: Uint8Array;
  readonly diagnoses: readonly Diagnosis[];
}

/** One way to read the bytes: changed in length or order, with one of the keys. */
interface Attempt {
  readonly ciphertext: Uint8Array;
  readonly key: RsaPrivateKey;
  readonly diagnoses: readonly Diagnosis[];
}

/** More keys than a profile keeps; each costs a private operation or two. */
const mostOtherKeys = 32;

/**
 * Opens the ciphertext with the key that was sent, as it is, in the right length, reversed, and
 * with the other keys; the first way that leads to a text wins.
 */
export function openCiphertext(bytes: Uint8Array, context: WrappedKeyContext): OpenedCiphertext {
  let fallback: OpenedCiphertext | undefined;
  for (const attempt of attempts(bytes, context)) {
    const opened = open(attempt);
    if (opened === undefined) continue;
    const diagnoses = [...attempt.diagnoses, ...(opened.diagnosis ? [opened.diagnosis] : [])];
    const found = { message: opened.message, diagnoses };
    // a wrong key gives a block that looks padded once in 100,000 times, but not with text inside
    if (opened.diagnosis !== undefined || isText(opened.message)) return found;
    if (diagnoses.length === 0) fallback = found;
  }
  return fallback ?? { diagnoses: [unopened(bytes, context)] };
}

function open({ ciphertext, key }: Attempt): OpenedBlock | undefined {
  const block = rsadp(key, ciphertext);
  return block && openBlock(block);
}

function* attempts(bytes: Uint8Array, context: WrappedKeyContext): Generator<Attempt> {
  const { privateKey, otherPrivateKeys = [] } = context;
  yield* attemptsWith(bytes, privateKey, []);
  for (const key of otherPrivateKeys.slice(0, mostOtherKeys)) {
    if (key.publicKey.fingerprint === privateKey.publicKey.fingerprint) continue;
    if (key.modulusBytes === bytes.length) yield* attemptsWith(bytes, key, [earlier(key, context)]);
  }
}

function* attemptsWith(
  bytes: Uint8Array,
  key: RsaPrivateKey,
  diagnoses: readonly Diagnosis[],
): Generator<Attempt> {
  const { ciphertext, diagnosis } = resize(bytes, key.modulusBytes) ?? {};
  if (ciphertext === undefined) return;
  const sized = diagnosis ? [...diagnoses, diagnosis] : diagnoses;
  yield { ciphertext, key, diagnoses: sized };
  yield { ciphertext: reverse(ciphertext), key, diagnoses: [...sized, reversed] };
}

const reversed = diagnoseWrap(
  'key-bytes-reversed',
  'The ciphertext opens when its bytes are read from the last to the first: it is little-endian.',
);

function earlier(key: RsaPrivateKey, { privateKey }: WrappedKeyContext): Diagnosis {
  return diagnoseWrap(
    'earlier-public-key',
    `It was wrapped with an earlier public key (${key.publicKey.fingerprint}), not with the one of this request (${privateKey.publicKey.fingerprint}).`,
  );
}

/** Nothing led to a text: the length says so, or nothing but another key explains it. */
function unopened(
  bytes: Uint8Array,
  { privateKey, otherPrivateKeys = [] }: WrappedKeyContext,
): Diagnosis {
  const { modulusBytes } = privateKey;
  if (bytes.length !== modulusBytes) return unexplainedLength(bytes, modulusBytes);
  const block = rsadp(privateKey, bytes);
  const seen =
    block === undefined
      ? 'as a number it is larger than the modulus, which no ciphertext of this key is'
      : `decrypted, it is a block without any padding's structure${showStart(block)}`;
  const tried =
    otherPrivateKeys.length === 0
      ? ''
      : `, and ${otherPrivateKeys.length} earlier keys don't open it either`;
  return diagnoseWrap(
    'other-public-key',
    `It has the right length and was made for another public key than that of this request (${privateKey.publicKey.fingerprint}): ${seen}${tried}.`,
  );
}

/** The first bytes of a block, unless they might be characters of a key. */
function showStart(block: Uint8Array): string {
  const isReadable = block.subarray(0, 4).every((octet) => octet >= 0x20 && octet < 0x7f);
  return isReadable ? '' : ` (it begins ${firstBytes(block)} where 00 02 belongs)`;
}

function isText(message: Uint8Array): boolean {
  const text = decodeUtf8(message);
  return text !== undefined && text !== '' && !/[^ -~\u00a0-\uffff\r\n\0]/.test(text);
}

function reverse(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes).reverse();
}
