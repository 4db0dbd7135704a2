import { algorithmOf, type Cipher } from '../../crypto/cipher.ts';
import { decryptionCalls } from '../../diagnosis/decryption-calls/index.ts';
import type { Explanation } from '../../reports/explanation.ts';

/** Codes whose calls decrypt a payload, and whether they can be those of a cipher. */
const decrypting: Readonly<Record<string, (cipher: Cipher) => boolean>> = {
  'cipher-mismatch': () => true,
  'bad-padding': (cipher) => !isGcm(cipher),
  'bad-tag': isGcm,
};

/** The explanation with the calls that decrypt `cipher` in place of those of the catalogue. */
export function forCipher(explanation: Explanation, cipher: Cipher): Explanation {
  const decrypts = decrypting[explanation.code]?.(cipher) === true;
  return decrypts ? { ...explanation, calls: decryptionCalls(cipher) } : explanation;
}

function isGcm(cipher: Cipher): boolean {
  return algorithmOf(cipher).mode === 'gcm';
}
