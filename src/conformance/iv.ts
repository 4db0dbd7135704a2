import type { RandomBytes } from '../bytes.ts';
import { algorithmOf, type Cipher, type IvRule, isBlockMode, ivBytesOf } from '../crypto/cipher.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import { deriveKeyMaterial } from '../crypto/key-derivation.ts';
import { diagnose } from '../diagnosis/catalogue.ts';
import { usualIvs } from '../diagnosis/cipher-readings.ts';
import { decryptionCalls } from '../diagnosis/decryption-calls.ts';
import type { Diagnosis } from '../errors.ts';

/** The IVs that an application may use in place of the cipher's, the commonest first. */
export function otherIvRules(cipher: Cipher): readonly IvRule[] {
  const digits = 2 * ivBytesOf(cipher);
  const fixed = usualIvs.map((iv) => `hex:${iv.slice(0, digits)}` as const);
  const inFront = isBlockMode(algorithmOf(cipher).mode) ? (['prefix'] as const) : [];
  const rules: readonly IvRule[] = ['zero', 'key-head', 'key-tail', ...inFront, ...new Set(fixed)];
  return rules.filter((rule) => rule !== cipher.iv);
}

/** The IV that a rule gives for a key; zeros without one. */
export function ivBytesOfRule(rule: IvRule, key: string, cipher: Cipher): Uint8Array {
  const zeros = new Uint8Array(ivBytesOf(cipher));
  const material = deriveKeyMaterial(key, { ...cipher, iv: rule }, zeros);
  return material.ok ? material.iv : zeros;
}

/**
 * A random IV whose last octet is 80 or more: a padding count under it is invalid under an IV of zeros
 * or of ASCII characters.
 */
export function withTellingEnd(cipher: Cipher, randomBytes: RandomBytes): Uint8Array {
  const size = ivBytesOf(cipher);
  return randomBytes(size).map((octet, at) => (at === size - 1 ? octet | 0x80 : octet));
}

/** The characters of a passcode that fits one block, its padding included. */
export function shortPasscodeLength(cipher: Cipher): number {
  const { blockBytes, mode } = algorithmOf(cipher);
  const isWhole = isBlockMode(mode) && cipher.padding === 'none';
  return isWhole ? blockBytes : (blockBytes * 3) / 4;
}

/** An IV by its rule, in words: "an IV of zeros". */
export function ivNames(rule: IvRule, cipher: Cipher): string {
  const size = ivBytesOf(cipher);
  if (rule === 'zero') return 'an IV of zeros';
  if (rule === 'prefix') return `the first ${size} bytes of the payload as IV`;
  if (rule === 'key-head') return `the first ${size} characters of the key as IV`;
  if (rule === 'key-tail') return `the last ${size} characters of the key as IV`;
  return `the fixed IV ${rule.slice('hex:'.length)} (hexadecimal)`;
}

/** The IV that the cipher has, in words. */
export function expectedIv(cipher: Cipher): string {
  return ivNames(cipher.iv ?? 'prefix', cipher);
}

/** The diagnosis of an application that uses the IV `found` instead of that of the cipher. */
export function ivMismatch(message: string, cipher: Cipher, found: IvRule): Diagnosis {
  const notation = formatCipher(cipher);
  const size = ivBytesOf(cipher);
  const fitting = found !== cipher.iv && { fitting_cipher: formatCipher({ ...cipher, iv: found }) };
  const evidence = { cipher: notation, ...fitting };
  const base = diagnose('cipher-mismatch', message, evidence);
  const isInFront = cipher.iv === 'prefix';
  const hint = isInFront
    ? `Take the first ${size} bytes of the decoded payload as the IV, and decrypt only the bytes after them.`
    : `Decrypt with ${expectedIv(cipher)}, or set the cipher that the service and the application have agreed on.`;
  return { ...base, hint, calls: decryptionCalls(cipher) };
}

/** The IV, which is the first that encryption draws, and then random bytes. */
export function firstThen(iv: Uint8Array, randomBytes: RandomBytes): RandomBytes {
  let isDrawn = false;
  return (size) => {
    if (isDrawn) return randomBytes(size);
    isDrawn = true;
    return iv;
  };
}
