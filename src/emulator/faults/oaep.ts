import { createHash } from 'node:crypto';
import { encodeUtf8, type RandomBytes } from '../../bytes.ts';

export type OaepHash = 'sha1' | 'sha256' | 'sha384' | 'sha512';

export interface OaepOptions {
  readonly hash: OaepHash;
  /** The digest of the mask generation function; Java's default is SHA-1 whatever `hash` is. */
  readonly mgfHash?: OaepHash;
  readonly label?: string;
}

/** EME-OAEP encoding (RFC 8017 7.1.1). Undefined for a message that is too long (step 1 b). */
export function encodeEmeOaep(
  message: Uint8Array,
  modulusBytes: number,
  randomBytes: RandomBytes,
  { hash, mgfHash = hash, label = '' }: OaepOptions,
): Uint8Array | undefined {
  const labelHash = createHash(hash).update(encodeUtf8(label)).digest();
  const hashBytes = labelHash.length;
  if (message.length > modulusBytes - 2 * hashBytes - 2) return undefined;
  const block = new Uint8Array(modulusBytes - hashBytes - 1);
  block.set(labelHash);
  block[block.length - message.length - 1] = 0x01;
  block.set(message, block.length - message.length);
  const seed = randomBytes(hashBytes);
  const maskedBlock = exclusiveOr(block, maskOf(seed, block.length, mgfHash));
  const maskedSeed = exclusiveOr(seed, maskOf(maskedBlock, hashBytes, mgfHash));
  return Uint8Array.of(0, ...maskedSeed, ...maskedBlock);
}

/** MGF1 (RFC 8017 B.2.1). */
function maskOf(seed: Uint8Array, length: number, hash: OaepHash): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let counter = 0, bytes = 0; bytes < length; counter += 1) {
    // One octet of the counter is enough for every RSA key.
    const part = createHash(hash)
      .update(seed)
      .update(Uint8Array.of(0, 0, 0, counter))
      .digest();
    parts.push(part);
    bytes += part.length;
  }
  return Buffer.concat(parts).subarray(0, length);
}

function exclusiveOr(left: Uint8Array, right: Uint8Array): Uint8Array {
  return left.map((octet, index) => octet ^ (right[index] ?? 0));
}
