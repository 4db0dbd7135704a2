import type { Check } from '../../check.ts';
import { expectMalformedRefused } from '../../refusals.ts';

export const rejectsForeignClient: Check = {
  id: 'key-exchange/rejects-foreign-client',
  title: 'An unknown or missing client_id is refused',
  section: '4.1.1',
  sentence: 'Request body: client_id, Application Client ID, required yes.',
  level: 'should',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['key-exchange/answers-success'],
  run: (context) => expectMalformedRefused(context, ['client-id-foreign', 'client-id-missing']),
};
