import { diagnoseKey } from '../../../diagnosis/per-user-key-words.ts';
import type { Check } from '../../check.ts';
import { fail } from '../../expect.ts';
import { obtainKey } from '../../flows.ts';

export const newKeyEachTime: Check = {
  id: 'key-exchange/new-key-each-time',
  title: 'A user who asks again gets a new key',
  section: '4.1.1',
  sentence: 'When a valid request arrives, the application generates a new 32-character key.',
  level: 'must',
  polarity: 'positive',
  stage: 'right-requests',
  needs: ['key-exchange/answers-success', 'usable-key'],
  run: async (context) => {
    const first = await obtainKey(context, context.user);
    const second = await obtainKey(context, context.user);
    if (first !== second) return undefined;
    return fail({
      expected: 'another key in the second exchange of a user',
      observed: 'the same key again',
      diagnosis: diagnoseKey(
        'key-repeated',
        'The user exchanged a key twice and was given the same one both times.',
      ),
      evidence: context.sent.at(-1)?.exchange,
    });
  },
};
