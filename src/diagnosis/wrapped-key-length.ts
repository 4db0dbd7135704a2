import type { Diagnosis } from '../errors.ts';
import { shortestCiphertext } from './wrapped-key-verdicts.ts';
import { diagnoseWrap } from './wrapped-key-words.ts';

/** A ciphertext brought to the length of the modulus, and what was wrong with the length. */
export interface Resized {
  readonly ciphertext: Uint8Array;
  readonly diagnosis?: Diagnosis;
}

/**
 * The ciphertext in the length of the modulus, where a library may have got it wrong: BigInteger's
 * sign, zeros left out, several blocks. Undefined where nothing can be done.
 */
export function resize(bytes: Uint8Array, modulusBytes: number): Resized | undefined {
  const surplus = bytes.length - modulusBytes;
  const resized = (ciphertext: Uint8Array, seen: string): Resized => ({
    ciphertext,
    diagnosis: wrongLength(bytes, modulusBytes, seen),
  });
  if (surplus === 0) return { ciphertext: bytes };
  if (surplus < 0) {
    if (bytes.length < shortestCiphertext) return undefined;
    const whole = Buffer.concat([new Uint8Array(-surplus), bytes]);
    return resized(whole, `${zeroBytes(-surplus)} in front left out, as BigInteger does`);
  }
  if (bytes.subarray(0, surplus).every((octet) => octet === 0)) {
    return resized(
      bytes.subarray(surplus),
      `${zeroBytes(surplus)} in front, such as BigInteger's sign`,
    );
  }
  if (bytes.length % modulusBytes !== 0) return undefined;
  const blocks = bytes.length / modulusBytes;
  return resized(
    bytes.subarray(0, modulusBytes),
    `${blocks} ciphertexts, of which the first was opened`,
  );
}

function zeroBytes(count: number): string {
  return count === 1 ? 'a zero byte' : `${count} zero bytes`;
}

function wrongLength(bytes: Uint8Array, modulusBytes: number, seen: string): Diagnosis {
  const message = `The ciphertext has ${bytes.length} bytes; the public_key that was sent gives ${modulusBytes}: ${seen}.`;
  return diagnoseWrap('wrong-length', message);
}

/** The diagnosis of a length that nothing explains. */
export function unexplainedLength(bytes: Uint8Array, modulusBytes: number): Diagnosis {
  return wrongLength(bytes, modulusBytes, lengthReason(bytes, modulusBytes));
}

const usualBytes: readonly number[] = [128, 256, 384, 512];

function lengthReason(bytes: Uint8Array, modulusBytes: number): string {
  const { length } = bytes;
  if (usualBytes.includes(length))
    return `${length} is what a key of ${length * 8} bits gives, so another key was used`;
  if (length === 0) return 'there is nothing in it';
  if (length < shortestCiphertext) return "so few can't be an RSA ciphertext at all";
  return length < modulusBytes
    ? 'it was cut, or made for another key'
    : 'there is something else in it';
}
