import type { PayloadFailure } from '../crypto/payload-ciphers.ts';
import type { Diagnosis, DiagnosisCode } from '../errors.ts';
import { diagnosis, likely } from './diagnosis.ts';

/** `ptn_sp` decrypts to plausible text under the cipher `fitting`, not under the configured one. */
export function diagnoseOtherCipher(fitting: string, set: string): Diagnosis {
  const message = `ptn_sp is not encrypted with the configured cipher, ${set}; it decrypts with ${fitting}.`;
  return likely(diagnosis('cipher-mismatch', message, `Set the cipher to ${fitting}`));
}

/** `ptn_sp` can't be decrypted under any cipher that is known. */
export function diagnoseUndecryptable(seen: {
  readonly failure: PayloadFailure;
  readonly detail: string;
}): Diagnosis {
  const message = `ptn_sp can't be decrypted with this user's key: ${seen.detail}.`;
  const hint =
    'Check whether a later key exchange replaced the key, and whether this profile has the cipher that the service uses.';
  return likely(diagnosis(payloadCodeOf[seen.failure], message, hint));
}

/** The cipher checks nothing, and what it decrypts to is not text. */
export function diagnoseNoText(): Diagnosis {
  const message =
    'ptn_sp does not decrypt to text: it was encrypted with another key or another cipher.';
  const hint = 'Check whether a later key exchange replaced the key, and check the cipher setting.';
  return likely(diagnosis('wrong-key', message, hint));
}

/** `ptn_sp` decrypts to text, and not to the stored passcode (section 4.2.2 rule 1). */
export function diagnoseMismatch(): Diagnosis {
  return diagnosis(
    'passcode-mismatch',
    'ptn_sp decrypts to a passcode other than the one stored at registration.',
    'Check whether the user has registered again since, and whether the stored passcode belongs to this user.',
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
