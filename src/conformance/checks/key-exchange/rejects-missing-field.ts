import type { CheckDefinition } from '../../check.ts';
import { expectMalformedRefused } from '../../expect.ts';

export const rejectsMissingField: CheckDefinition = {
  id: 'key-exchange/rejects-missing-field',
  title: 'must reject a key exchange without ptn_cd or public_key',
  section: '4.1.1',
  sentence: 'Request body: ptn_cd required yes, public_key required yes.',
  stage: 'wrong-requests',
  needs: ['key-exchange/answers-success'],
  run: (context) => expectMalformedRefused(context, ['missing-ptn-cd', 'missing-public-key']),
};
