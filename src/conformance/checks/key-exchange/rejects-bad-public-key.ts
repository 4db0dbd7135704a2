import type { Check } from '../../check.ts';
import { expectMalformedRefused } from '../../refusals.ts';

export const rejectsBadPublicKey: Check = {
  id: 'key-exchange/rejects-bad-public-key',
  title: 'A public_key that is no Base64, no key, or truncated is refused',
  section: '2.2',
  sentence: 'public_key is a Base64 encoding of an X.509 SubjectPublicKeyInfo RSA key.',
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['key-exchange/answers-success'],
  run: (context) =>
    expectMalformedRefused(context, [
      'public-key-no-base64',
      'public-key-no-key',
      'public-key-truncated',
    ]),
};
