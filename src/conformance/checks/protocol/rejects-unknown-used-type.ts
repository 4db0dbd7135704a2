import type { Check } from '../../check.ts';
import { expectMalformedRefused } from '../../refusals.ts';

export const rejectsUnknownUsedType: Check = {
  id: 'protocol/rejects-unknown-used-type',
  title: 'used_type "3", missing, or the number 1 is refused',
  section: '4.1',
  sentence: 'Both callbacks use one URL, and used_type distinguishes them.',
  level: 'should',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['key-exchange/answers-success'],
  run: (context) =>
    expectMalformedRefused(context, ['used-type-3', 'used-type-missing', 'used-type-number']),
};
