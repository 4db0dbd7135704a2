import { getHashes, hash } from 'node:crypto';
import { xor } from '../bytes.ts';

/**
 * EME-OAEP (RFC 8017 7.1), read without knowing its hashes, to find which ones an application used:
 *
 *     EM = 0x00 || maskedSeed || maskedDB         DB = lHash || PS (zeros) || 0x01 || M
 */
export interface OaepReading {
  /** The hash of the label and of the seed's length, in the words of node:crypto. */
  readonly hash: string;
  /** The hash of MGF1; the JDK's default is `sha1` whatever `hash` is. */
  readonly mgf1Hash: string;
  readonly message: Uint8Array;
  /** Whether lHash is of another label than the empty one. */
  readonly hasLabel: boolean;
}

/** The usual first; every pair of hash and MGF1 hash is tried. */
const hashNames = [
  ...['sha1', 'sha256', 'sha512', 'sha384', 'sha224', 'md5', 'sha512-256', 'sha512-224'],
  ...['sha3-256', 'sha3-512', 'sha3-384', 'sha3-224', 'ripemd160', 'sm3'],
];

/** Zeros between lHash and 0x01 that prove a reading with an unknown label: chance gives 8 once in 10^17. */
const convincingZeros = 8;

/** The hashes with which the encoded message is EME-OAEP; undefined where none of the pairs fit. */
export function identifyOaep(encodedMessage: Uint8Array): OaepReading | undefined {
  // RFC 8017 7.1.2 step 3g: Y, the first octet, is zero
  if (encodedMessage[0] !== 0) return undefined;
  const known = new Set(getHashes().map((name) => name.toLowerCase()));
  const names = hashNames.filter((name) => known.has(name));
  const labelled: OaepReading[] = [];
  for (const labelHash of names) {
    const emptyLabelHash = hash(labelHash, '', 'buffer');
    for (const mgf1Hash of names) {
      const read = readOaep(encodedMessage, emptyLabelHash, mgf1Hash);
      const reading = read && { hash: labelHash, mgf1Hash, ...read };
      if (reading?.hasLabel === false) return reading;
      if (reading !== undefined) labelled.push(reading);
    }
  }
  // an unknown label's hash looks like any other of its length: the same for both is the most usual
  return labelled.find((reading) => reading.hash === reading.mgf1Hash) ?? labelled[0];
}

function readOaep(
  encodedMessage: Uint8Array,
  emptyLabelHash: Uint8Array,
  mgf1Hash: string,
): Pick<OaepReading, 'message' | 'hasLabel'> | undefined {
  const hashBytes = emptyLabelHash.length;
  if (encodedMessage.length < 2 * hashBytes + 2) return undefined;
  const maskedSeed = encodedMessage.subarray(1, 1 + hashBytes);
  const maskedDataBlock = encodedMessage.subarray(1 + hashBytes);
  const seed = xor(maskedSeed, mgf1(maskedDataBlock, hashBytes, mgf1Hash));
  // The beginning of DB excludes nearly every pair.
  const beginning = maskedDataBlock.subarray(0, hashBytes + convincingZeros);
  const begun = xor(beginning, mgf1(seed, beginning.length, mgf1Hash));
  const hasLabel = !Buffer.from(emptyLabelHash).equals(begun.subarray(0, hashBytes));
  if (hasLabel && begun.subarray(hashBytes).some((octet) => octet !== 0)) return undefined;
  const dataBlock = xor(maskedDataBlock, mgf1(seed, maskedDataBlock.length, mgf1Hash));
  const afterHash = dataBlock.subarray(hashBytes);
  const separator = afterHash.findIndex((octet) => octet !== 0);
  if (separator < 0 || afterHash[separator] !== 1) return undefined;
  if (hasLabel && separator < convincingZeros) return undefined;
  return { message: afterHash.subarray(separator + 1), hasLabel };
}

/** MGF1 (RFC 8017 B.2.1): the hashes of seed and a four-octet counter, one after another. */
export function mgf1(seed: Uint8Array, bytes: number, mgf1Hash: string): Uint8Array {
  const blocks: Buffer[] = [];
  for (let length = 0; length < bytes; length += blocks[0]?.length ?? bytes) {
    const counter = Buffer.of(0, 0, 0, blocks.length); // never more than a modulus has octets
    blocks.push(hash(mgf1Hash, Buffer.concat([seed, counter]), 'buffer'));
  }
  return Buffer.concat(blocks).subarray(0, bytes);
}
