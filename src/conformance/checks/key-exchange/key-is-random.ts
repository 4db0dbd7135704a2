import type { Check } from '../../check.ts';
import { expectAccepted, fail } from '../../expect.ts';
import { keyIn } from '../../flows.ts';
import { type DrawnKey, findPattern } from '../../key-randomness.ts';

/** So many keys of as many users show what they have in common. */
const wantedKeys = 5;

export const keyIsRandom: Check = {
  id: 'key-exchange/key-is-random',
  title: 'Keys follow from nothing and have the entropy of a random string',
  section: '2.2',
  sentence: 'The application generates it for each user as a random string of 32 characters.',
  level: 'must',
  polarity: 'positive',
  stage: 'right-requests',
  needs: ['key-exchange/answers-success', 'usable-key'],
  users: wantedKeys,
  fewerWillDo: true,
  run: async (context) => {
    const keys: DrawnKey[] = [];
    for (let drawn = 0; drawn < wantedKeys; drawn += 1) {
      const ptnCd = context.users[drawn % context.users.length] ?? '';
      const outcome = await context.exchange(ptnCd);
      expectAccepted(outcome, 'a key exchange');
      keys.push({ key: keyIn(context, outcome), ptnCd, drawnAt: outcome.exchange.startedAt });
    }
    const diagnosis = findPattern(keys, context.world.clientId);
    if (diagnosis === undefined) return undefined;
    return fail({
      expected: 'keys that are random strings',
      observed: `keys with a pattern, seen in ${keys.length} of them`,
      diagnosis,
      evidence: context.sent.at(-1)?.exchange,
    });
  },
};
