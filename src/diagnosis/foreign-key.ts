import { encodeHex, encodeUtf8 } from '../bytes.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { fingerprintOfKey } from '../crypto/fingerprint.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import { assessPlaintext } from './plausibility.ts';
import type { ShapeKind } from './text-shapes.ts';

/** A key under which the payload makes sense after all. */
export interface ForeignKey {
  /** Which key, without showing it: "the key sha256:…, which belongs to …". */
  readonly description: string;
  readonly mend: string;
}

interface KeyToTry {
  readonly key: string;
  readonly description: string;
  readonly mend: string;
}

/** Keys of other users are tried up to this number. */
const mostOtherKeys = 10_000;

/** The text, with the padding or tag, has to be so much likelier than noise, in bits. */
const enoughBits = 20;

/**
 * Looks for the key that the payload was made with: the user's own in another form (with a line end,
 * in other case, hexadecimal of it), or another known one.
 */
export function findForeignKey(
  payload: string,
  key: string,
  context: {
    readonly cipher: Cipher;
    readonly kind?: ShapeKind | undefined;
    readonly otherKeys?: readonly string[] | undefined;
  },
): ForeignKey | undefined {
  const others = (context.otherKeys ?? []).slice(0, mostOtherKeys).filter((other) => other !== key);
  return [...formsOf(key), ...others.map(otherKey)].find((candidate) => {
    const result = decryptPayload(payload, candidate.key, context.cipher);
    if (!result.ok) return false;
    const { bits, isClean } = assessPlaintext(result.plaintext, context.kind);
    return isClean && bits + checkBits(context.cipher) >= enoughBits;
  });
}

/** What it takes noise, at the least, to pass the check that the cipher itself makes. */
function checkBits({ tag, padding }: Cipher): number {
  if (tag !== undefined) return 128;
  return padding === 'pkcs7' || padding === 'ansix923' ? 8 : 0;
}

function formsOf(key: string): KeyToTry[] {
  const forms: readonly (readonly [string, string])[] = [
    [`${key}\n`, 'this key with a line end behind it'],
    [`${key}\r\n`, 'this key with a line end behind it'],
    [key.trim(), 'this key without the white space around it'],
    [`"${key}"`, 'this key in quotation marks'],
    [key.toLowerCase(), 'this key in small letters'],
    [key.toUpperCase(), 'this key in capital letters'],
    [encodeHex(encodeUtf8(key.slice(0, 1024))), 'the hexadecimal digits of this key'],
    [[...key.slice(0, 1024)].reverse().join(''), 'this key turned round'],
  ];
  const mend = 'Use the key exactly as it was agreed in the key exchange.';
  return forms
    .filter(([form]) => form !== key)
    .map(([form, description]) => ({ key: form, description, mend }));
}

function otherKey(key: string): KeyToTry {
  return {
    key,
    description: `another known key, ${fingerprintOfKey(key)}`,
    mend: 'Encrypt with the key of that user and of the latest key exchange: keys are kept per ptn_cd, and a new exchange replaces the old one.',
  };
}
