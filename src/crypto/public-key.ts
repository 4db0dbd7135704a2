import { AuthcliError } from '../errors.ts';
import type { KeyEncoding } from './encoding-names.ts';
import { type KeyFormat, type KeyRefusal, withArticle } from './key-structure.ts';
import { type KeyRecognition, recogniseKey } from './key-text.ts';
import { createRsaPublicKey, type RsaPublicKey } from './rsa-key.ts';

export interface PublicKeyReading {
  readonly key: RsaPublicKey;
  readonly encoding: KeyEncoding;
  /** What had to be converted or overlooked; empty for what the interface sends (2.2) and for PEM of the same. */
  readonly notes: readonly string[];
}

/**
 * Reads a public key that a per-user key can be wrapped with: what the interface sends (2.2,
 * Base64 of an RSA SubjectPublicKeyInfo) and PEM of the same, white space around; other readable
 * forms with a note. Throws `usage` with the reason for everything else.
 */
export function readPublicKey(text: string | Uint8Array): PublicKeyReading {
  const recognition = recogniseKey(text);
  const refusal = refusePublicKey(recognition);
  const numbers = recognition.key?.rsa;
  if (refusal !== undefined || numbers === undefined || recognition.encoding === undefined) {
    throw unusable(refusal ?? { code: 'not-a-key', reason: 'it is no key in any form known here' });
  }
  const notes = [...recognition.notes, ...noteConversion(recognition)];
  return { key: createRsaPublicKey(numbers), encoding: recognition.encoding, notes };
}

/** Why what was recognised is no public key for wrapping; undefined where it is one. */
export function refusePublicKey({ key, kind, refusal }: KeyRecognition): KeyRefusal | undefined {
  if (kind === 'private-key') {
    return {
      code: 'private-key',
      reason: `it is a private key${refusal?.code === 'truncated' ? ', and a truncated one' : ''}: the public half belongs here, and the private one must not be passed on`,
    };
  }
  if (key === undefined || key.algorithm === 'rsa') return refusal;
  return { code: 'algorithm', reason: algorithmReason(key.algorithmName, key.algorithm) };
}

function algorithmReason(name = 'key of an unknown algorithm', algorithm?: string): string {
  const why = algorithmReasons[algorithm ?? ''] ?? "which can't do RSA";
  return `it is ${withArticle(name)} key, ${why}: the interface wraps with RSA and PKCS #1 v1.5 padding`;
}

const algorithmReasons: Readonly<Record<string, string>> = {
  'rsa-pss': 'which is bound to signatures',
  'rsa-oaep': 'which is bound to OAEP padding',
};

/** What was converted to get a SubjectPublicKeyInfo, and who would not have done that. */
export function noteConversion({ key, encoding }: KeyRecognition): readonly string[] {
  const conversion = key && conversions[key.format];
  if (conversion !== undefined) return [conversion];
  return encoding === 'der' ? ['it is a DER file: the interface sends Base64 of it'] : [];
}

const conversions: Readonly<Partial<Record<KeyFormat, string>>> = {
  'PKCS #1':
    'it is a bare RSAPublicKey (PKCS #1, "BEGIN RSA PUBLIC KEY"): OpenSSL reads it, Java\'s X509EncodedKeySpec does not; the interface sends SubjectPublicKeyInfo ("BEGIN PUBLIC KEY")',
  'X.509 certificate':
    'it is a whole certificate: the interface sends only the SubjectPublicKeyInfo inside it, as openssl x509 -pubkey -noout prints it',
  'PKCS #10 certificate request':
    'it is a certificate request: the interface sends only the SubjectPublicKeyInfo inside it, as openssl req -pubkey -noout prints it',
  JWK: 'it is a JWK: the interface sends Base64 of SubjectPublicKeyInfo',
  OpenSSH:
    'it is an OpenSSH key: the interface sends SubjectPublicKeyInfo, as ssh-keygen -e -m PKCS8 prints it',
  XML: "it is .NET's XML form: the interface sends SubjectPublicKeyInfo, as ExportSubjectPublicKeyInfo gives it",
};

function unusable({ code, reason }: KeyRefusal): AuthcliError {
  return new AuthcliError('usage', `The public key can't be used: ${reason}.`, {
    hint: 'It should be Base64 of an X.509 SubjectPublicKeyInfo RSA key, as `openssl pkey -in key.pem -pubout -outform DER | base64` prints it, or the PEM of the same ("-----BEGIN PUBLIC KEY-----").',
    data: { reason: code },
  });
}
