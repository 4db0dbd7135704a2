import type { CheckDefinition } from '../../check.ts';
import { expectRegistered, reviewAccepted } from '../../expect.ts';
import { plainUserInfo } from '../../test-data.ts';

export const answersSuccess: CheckDefinition = {
  id: 'registration/answers-success',
  title: 'must accept a valid registration with ubifill',
  section: '4.1.2',
  sentence: 'The application answers code "0000" when registration is accepted.',
  production: 'sends',
  needs: ['key-exchange/answers-success', 'usable-key'],
  review: reviewAccepted('registration', 'a valid registration'),
  run: async (context) => {
    await expectRegistered(context, 'a valid registration with ubifill', plainUserInfo);
  },
};
