import { type DerElement, type DerFault, derTags } from './der.ts';
import type { KeyRefusal } from './key-structure.ts';

/** Of DER whose outer length is right and whose inside is not. */
export const brokenInside: KeyRefusal = {
  code: 'malformed',
  reason: 'its DER is damaged: an element inside is broken or not where it belongs',
};

/** Of EncryptedPrivateKeyInfo (RFC 5958 3). */
export const encrypted: KeyRefusal = {
  code: 'encrypted',
  reason: 'it is an encrypted private key (PKCS #8); decrypt it first, such as with openssl pkey',
};

/** Of DER that is whole and no key: what it is instead. */
export function otherStructure([first, second]: readonly DerElement[]): KeyRefusal {
  const isPkcs7 = first?.tag === derTags.objectIdentifier;
  const isPkcs12 = first?.contents[0] === 3 && second?.tag === derTags.sequence;
  const name = isPkcs7 ? 'a PKCS #7 container' : isPkcs12 ? 'a PKCS #12 container' : undefined;
  return {
    code: 'not-a-key',
    reason: name ? `it is ${name}, not a key` : 'it is DER, but no key, certificate or request',
  };
}

/** Of DER that can't be read: what is missing. */
export function faultRefusal(fault: DerFault): KeyRefusal {
  if (fault.kind !== 'truncated') {
    return {
      code: 'malformed',
      reason: 'its DER is damaged: its first tag or length is none that DER allows',
    };
  }
  const { announced, present } = fault;
  return {
    code: 'truncated',
    reason: `it is truncated: its DER announces ${bytesText(announced)}, ${bytesText(present)} ${present === 1 ? 'is' : 'are'} there, ${announced - present} missing`,
  };
}

/** Of DER with bytes after its end. */
export function trailingBytes(extra: number): KeyRefusal {
  return {
    code: 'trailing-bytes',
    reason: `${bytesText(extra)} ${extra === 1 ? 'is' : 'are'} left over after its end: lenient readers such as OpenSSL overlook that, strict ones such as Python's cryptography refuse it`,
  };
}

function bytesText(count: number): string {
  return count === 1 ? '1 byte' : `${count} bytes`;
}
