import type { CheckDefinition } from '../../check.ts';
import { expectMalformedRefused } from '../../expect.ts';

export const rejectsUnknownUsedType: CheckDefinition = {
  id: 'protocol/rejects-unknown-used-type',
  title: 'should reject a used_type that is "3", missing, or the number 1',
  section: '4.1',
  sentence: 'Both callbacks use one URL, and used_type distinguishes them.',
  level: 'should',
  stage: 'wrong-requests',
  needs: ['key-exchange/answers-success'],
  run: (context) =>
    expectMalformedRefused(context, ['used-type-3', 'used-type-missing', 'used-type-number']),
};
