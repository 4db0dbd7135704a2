import type { PayloadFailure } from '../crypto/payload-ciphers.ts';
import type { DiagnosisCode } from '../errors.ts';

/** What a step of decryption that fails is called. */
export const payloadCodeOf: Readonly<Record<PayloadFailure, DiagnosisCode>> = {
  'payload-encoding': 'payload-encoding',
  'payload-length': 'payload-encoding',
  'salt-missing': 'cipher-mismatch',
  'key-unusable': 'cipher-mismatch',
  'bad-padding': 'bad-padding',
  'bad-tag': 'bad-tag',
};
