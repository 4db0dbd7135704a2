import type { PayloadFailure } from '../crypto/payload-ciphers.ts';
import type { Diagnosis, DiagnosisCode } from '../errors.ts';
import { diagnosis } from './diagnosis.ts';

/** `ptn_sp` makes sense under the cipher `fitting`, not under the one that is set. */
export function diagnoseOtherCipher(fitting: string, set: string): Diagnosis {
  return diagnosis(
    'cipher-mismatch',
    `ptn_sp is not encrypted with the cipher that is set, ${set}; it makes sense under ${fitting}.`,
    `Set the cipher to ${fitting}`,
  );
}

/** `ptn_sp` can't be decrypted under any cipher that is known. */
export function diagnoseUndecryptable(seen: {
  readonly failure: PayloadFailure;
  readonly detail: string;
}): Diagnosis {
  return diagnosis(
    payloadCodeOf[seen.failure],
    `ptn_sp can't be decrypted with the key of this user: ${seen.detail}.`,
    'Either it was encrypted with another key, such as one that a later key exchange replaced, or with a cipher that is not stored in this profile.',
  );
}

/** The cipher checks nothing, and what it decrypts to is not text. */
export function diagnoseNoText(): Diagnosis {
  return diagnosis(
    'wrong-key',
    'ptn_sp does not decrypt to text: it was encrypted with another key, or another cipher.',
    "Check whether the key was replaced by a later key exchange, and check the cipher's setting.",
  );
}

/** `ptn_sp` decrypts to text, and not to the stored passcode (section 4.2.2 rule 1). */
export function diagnoseMismatch(): Diagnosis {
  return diagnosis(
    'passcode-mismatch',
    'ptn_sp decrypts to another passcode than the one that was stored at the registration.',
    'Check whether the user registered again since, and whether the stored passcode is that of this user.',
  );
}

export const payloadCodeOf: Readonly<Record<PayloadFailure, DiagnosisCode>> = {
  'payload-encoding': 'payload-encoding',
  'payload-length': 'payload-encoding',
  'salt-missing': 'cipher-mismatch',
  'key-unusable': 'cipher-mismatch',
  'bad-padding': 'bad-padding',
  'bad-tag': 'bad-tag',
};
