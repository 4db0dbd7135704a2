import type { Check } from '../../check.ts';
import { expectMalformedRefused } from '../../refusals.ts';

export const rejectsMissingField: Check = {
  id: 'key-exchange/rejects-missing-field',
  title: 'A key exchange without ptn_cd or public_key is refused',
  section: '4.1.1',
  sentence: 'Request body: ptn_cd required yes, public_key required yes.',
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['key-exchange/answers-success'],
  run: (context) => expectMalformedRefused(context, ['missing-ptn-cd', 'missing-public-key']),
};
