import type { PayloadFailure } from '../crypto/payload-ciphers.ts';
import type { Diagnosis } from '../errors.ts';
import { diagnosis } from './catalogue-entry.ts';
import { payloadCodeOf } from './payload-codes.ts';

/** `ptn_sp` makes sense under the cipher `fitting`, not under the one that is set (notations). */
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
    'Either it was encrypted with another key, such as one that a later key exchange replaced, or with a cipher that is not known here.',
  );
}

/** The cipher checks nothing, and what comes out is no text. */
export function diagnoseNoText(): Diagnosis {
  return diagnosis(
    'wrong-key',
    'ptn_sp decrypts to no text: it was encrypted with another key, or another cipher.',
    "Look whether the key was replaced by a later key exchange, and check the cipher's setting.",
  );
}

/** `ptn_sp` decrypts to text, and not to the stored passcode (section 4.2.2 rule 1). */
export function diagnoseMismatch(): Diagnosis {
  return diagnosis(
    'passcode-mismatch',
    'ptn_sp decrypts to another passcode than the one that was stored at the registration.',
    'Look whether the user registered again since, and whether the stored passcode is that of this user.',
  );
}
