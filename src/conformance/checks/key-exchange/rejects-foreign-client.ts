import type { CheckDefinition } from '../../check.ts';
import { expectMalformedRefused } from '../../expect.ts';

export const rejectsForeignClient: CheckDefinition = {
  id: 'key-exchange/rejects-foreign-client',
  title: 'should reject an unknown or missing client_id',
  section: '4.1.1',
  sentence: 'Request body: client_id, Application Client ID, required yes.',
  level: 'should',
  stage: 'wrong-requests',
  needs: ['key-exchange/answers-success'],
  run: (context) => expectMalformedRefused(context, ['client-id-foreign', 'client-id-missing']),
};
