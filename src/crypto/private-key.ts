import { AuthcliError } from '../errors.ts';
import { type KeyRefusal, withArticle } from './key-structure.ts';
import { type KeyRecognition, recogniseKey } from './key-text.ts';
import { createRsaPrivateKey, type RsaNumbers, type RsaPrivateKey } from './rsa-key.ts';

export interface PrivateKeyReading {
  readonly key: RsaPrivateKey;
  /** What had to be converted or overlooked; empty for PKCS #1 and PKCS #8 in PEM or Base64. */
  readonly notes: readonly string[];
}

/**
 * Reads an RSA private key: PKCS #1 or PKCS #8, as PEM or as Base64 of the DER; other readable
 * forms with a note. Throws `usage` with the reason for everything else, and never quotes any of
 * the text.
 */
export function readPrivateKey(text: string | Uint8Array): PrivateKeyReading {
  const recognition = recogniseKey(text);
  const refusal = refusePrivateKey(recognition);
  const { rsa, rsaPrivateKey } = recognition.key ?? {};
  if (refusal !== undefined || rsa === undefined || rsaPrivateKey === undefined) {
    throw unusable(refusal ?? { code: 'not-a-key', reason: 'it is no key in any form known here' });
  }
  return { key: created(rsa, rsaPrivateKey), notes: recognition.notes };
}

function created(numbers: RsaNumbers, pkcs1: Uint8Array): RsaPrivateKey {
  try {
    return createRsaPrivateKey(numbers, pkcs1);
  } catch (cause) {
    throw unusable({ code: 'malformed', reason: 'it is damaged: OpenSSL refuses it' }, cause);
  }
}

function refusePrivateKey({ key, kind, refusal }: KeyRecognition): KeyRefusal | undefined {
  if (kind !== undefined && kind !== 'private-key') {
    const what = kind === 'public-key' ? 'a public key' : `a ${kind.replace('-', ' ')}`;
    return { code: 'not-a-private-key', reason: `it is ${what}: the private half belongs here` };
  }
  if (refusal?.code === 'encrypted' || key === undefined || key.algorithm === 'rsa') return refusal;
  const name = key.algorithmName ?? 'key of an unknown algorithm';
  return { code: 'algorithm', reason: `it is ${withArticle(name)} key: an RSA key belongs here` };
}

function unusable({ code, reason }: KeyRefusal, cause?: unknown): AuthcliError {
  return new AuthcliError('usage', `The private key can't be used: ${reason}.`, {
    hint: 'It should be an RSA key in PKCS #8 or PKCS #1, as PEM or as Base64 of the DER, without a passphrase; `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048` makes one.',
    data: { reason: code },
    cause,
  });
}
