import { diagnoseKey } from '../../../diagnosis/per-user-key-words.ts';
import type { Check } from '../../check.ts';
import { fail } from '../../expect.ts';
import { obtainKey } from '../../flows.ts';
import { findKinship } from '../../key-kinship.ts';

export const keyPerUser: Check = {
  id: 'key-exchange/key-per-user',
  title: 'Different users get different, unrelated keys',
  section: '2.2',
  sentence: 'The application generates it for each user.',
  level: 'must',
  polarity: 'positive',
  stage: 'right-requests',
  needs: ['key-exchange/answers-success', 'usable-key'],
  users: 3,
  run: async (context) => {
    const keys: string[] = [];
    for (const ptnCd of context.users) keys.push(await obtainKey(context, ptnCd));
    const kinship = findKinship(keys);
    if (kinship === undefined) return undefined;
    const isConstant = new Set(keys).size === 1;
    const message = isConstant
      ? `All ${keys.length} users were given one and the same key.`
      : `Of the keys of ${keys.length} users, one is another one${kinship}.`;
    return fail({
      expected: 'a key of its own for each user',
      observed: isConstant ? 'one key for all' : `a key that is another one${kinship}`,
      diagnosis: diagnoseKey(isConstant ? 'key-constant' : 'key-repeated', message),
      evidence: context.sent.at(-1)?.exchange,
    });
  },
};
