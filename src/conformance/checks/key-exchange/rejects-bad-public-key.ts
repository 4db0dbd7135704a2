import type { CheckDefinition } from '../../check.ts';
import { expectMalformedRefused } from '../../expect.ts';

export const rejectsBadPublicKey: CheckDefinition = {
  id: 'key-exchange/rejects-bad-public-key',
  title: 'must reject a public_key that is not Base64, not a key, or truncated',
  section: '2.2',
  sentence: 'public_key is a Base64 encoding of an X.509 SubjectPublicKeyInfo RSA key.',
  stage: 'wrong-requests',
  needs: ['key-exchange/answers-success'],
  run: (context) =>
    expectMalformedRefused(context, [
      'public-key-no-base64',
      'public-key-no-key',
      'public-key-truncated',
    ]),
};
