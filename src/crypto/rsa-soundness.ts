import { emeOverheadBytes } from './eme-pkcs1-v1_5.ts';
import { perUserKeyLength } from './per-user-key.ts';
import { bitLength, type RsaNumbers, toBigInt, withoutLeadingZeros } from './rsa-key.ts';

/** OpenSSL's own limits, which the Node that runs this can't exceed: modulus, and exponent of a large modulus, in bits. */
const largestModulusBits = 16384;
const smallExponentModulusBits = 3072;
const largestExponent = 1n << 64n;

/** SP 800-89 5.3.3: a modulus has no factor below 752. */
const smallestAllowedFactor = 752;

/**
 * Why no application should wrap a per-user key with this RSA key, as the end of a sentence that
 * begins with "it"; undefined for a key that will do. An exponent of 3 and 1024 bits will do.
 */
export function findUnsoundness({ modulus, publicExponent }: RsaNumbers): string | undefined {
  return (
    exponentFault(publicExponent) ??
    modulusFault(modulus) ??
    (publicExponent >= toBigInt(modulus) ? 'has an exponent larger than its modulus' : undefined)
  );

  function exponentFault(exponent: bigint): string | undefined {
    if (exponent === 1n) return 'has the exponent 1, so that the ciphertext is the plaintext';
    // RFC 8017 3.1: e is coprime to lambda(n), which is even
    if (exponent % 2n === 0n)
      return `has the even exponent ${shorten(exponent)}, which no RSA key can have`;
    if (exponent > largestExponent && bitLength(modulus) > smallExponentModulusBits) {
      return 'has an exponent of more than 64 bits with a modulus of more than 3072, which OpenSSL and all that builds on it refuses';
    }
    return undefined;
  }
}

function modulusFault(modulus: Uint8Array): string | undefined {
  const bits = bitLength(modulus);
  const room = withoutLeadingZeros(modulus).length - emeOverheadBytes;
  if (((modulus.at(-1) ?? 0) & 1) === 0) return 'has an even modulus, which no RSA key can have';
  if (room < perUserKeyLength) {
    return `has a modulus of ${bits} bits, too short for a key of ${perUserKeyLength} characters: PKCS #1 v1.5 padding leaves room for ${Math.max(room, 0)}`;
  }
  if (bits > largestModulusBits) {
    return `has a modulus of ${bits} bits; more than ${largestModulusBits} can't be used`;
  }
  const factor = smallFactorOf(toBigInt(modulus));
  return factor === undefined
    ? undefined
    : `has a modulus divisible by ${factor}: it is damaged or made up`;
}

/**
 * The smallest factor of an odd number, if it is that small; being the smallest, it is a prime. Five
 * at a time, whose product is a safe integer: dividing the large number is what takes time.
 */
function smallFactorOf(number: bigint): number | undefined {
  for (let first = 3; first + 8 < smallestAllowedFactor; first += 10) {
    const factors = [first, first + 2, first + 4, first + 6, first + 8];
    const rest = Number(number % BigInt(factors.reduce((product, factor) => product * factor)));
    const found = factors.find((factor) => rest % factor === 0);
    if (found !== undefined) return found;
  }
  return undefined;
}

function shorten(value: bigint): string {
  const digits = value.toString();
  return digits.length <= 20 ? digits : `${digits.slice(0, 20)}…`;
}
