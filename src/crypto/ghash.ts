/**
 * The field of GCM (NIST SP 800-38D 6.3), for one purpose: to find the 16-byte IV that made a known
 * counter block. Values are BigInt with the block's first bit as the highest.
 */

const size = 128n;
/** x^128 + x^7 + x^2 + x + 1, the lowest bit being the constant term. */
const polynomial = (1n << size) | 0x87n;
/** R = 11100001 || 0^120, the reduction of x^128 (SP 800-38D 6.3). */
const reduction = 0xe1n << 120n;

/**
 * The IV of 16 bytes whose pre-counter block is `preCounter`, with H = `hashSubkey`; undefined for the zero subkey.
 * SP 800-38D 7.1 step 2: J0 = GHASH(IV || 0^64 || [128]64) = (IV * H + L) * H, so IV = (J0 / H + L) / H.
 */
export function solveGcmIv(preCounter: Uint8Array, hashSubkey: Uint8Array): Uint8Array | undefined {
  const subkey = toField(hashSubkey);
  if (subkey === 0n) return undefined;
  const inverse = invert(subkey);
  const lengths = 128n; // of 128 bits
  const iv = multiply(multiply(toField(preCounter), inverse) ^ lengths, inverse);
  return Buffer.from(iv.toString(16).padStart(32, '0'), 'hex');
}

/** Multiplication of blocks, SP 800-38D 6.3. */
export function multiply(left: bigint, right: bigint): bigint {
  let product = 0n;
  let shifted = right;
  for (let bit = size - 1n; bit >= 0n; bit--) {
    if ((left >> bit) & 1n) product ^= shifted;
    shifted = shifted & 1n ? (shifted >> 1n) ^ reduction : shifted >> 1n;
  }
  return product;
}

/**
 * The inverse by Euclid's extended algorithm for polynomials over GF(2), where the lowest bit is the
 * constant term: GCM's blocks have it first, so the bits are turned round before and after.
 */
function invert(value: bigint): bigint {
  let [low, high] = [turnRound(value), polynomial];
  let [lowFactor, highFactor] = [1n, 0n];
  while (low !== 1n) {
    const shift = BigInt(low.toString(2).length - high.toString(2).length);
    if (shift < 0n) {
      [low, high] = [high, low];
      [lowFactor, highFactor] = [highFactor, lowFactor];
      continue;
    }
    low ^= high << shift;
    lowFactor ^= highFactor << shift;
  }
  return turnRound(lowFactor);
}

function turnRound(value: bigint): bigint {
  const bits = value.toString(2).padStart(Number(size), '0');
  return BigInt(`0b${[...bits].reverse().join('')}`);
}

export function toField(block: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(block).toString('hex')}`);
}
