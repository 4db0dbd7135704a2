import type { Exchange } from '../../../client/exchange.ts';
import { diagnose } from '../../../diagnosis/catalogue.ts';
import { counted } from '../../../text.ts';
import type { CheckDefinition } from '../../check.ts';
import { drawKeys, fail, untested } from '../../expect.ts';
import { findRelation } from '../../keys.ts';
import type { DrawnKey } from '../../result.ts';

/**
 * Of 17 keys two are equal for certain if they come from a pool of up to 16, however it is drawn
 * from; drawn at random from 30, they are all different once in 303 runs, from 100 once in four.
 * Where fewer users may sign up, only equal keys of different users count, and a pool of 16 is missed
 * by chance: with four users once in 3,189 runs, with two once in 75. Random keys of ten symbols or
 * more are equal, reversed or rotated once in 10^28 runs.
 */
const wantedKeys = 17;

export const keyPerUser: CheckDefinition = {
  id: 'key-exchange/key-per-user',
  title: 'must generate different, unrelated keys for different users',
  section: '2.2',
  sentence: 'The application generates it for each user.',
  stage: 'right-requests',
  needs: ['key-exchange/answers-success', 'usable-key'],
  users: wantedKeys,
  fewerWillDo: true,
  review: ({ keys, keyExchanges }) => judge(keys, keyExchanges.at(-1)?.outcome.exchange),
  run: async (context) => {
    if (context.users.length < 2)
      untested('It compares the keys of different users, and only one user code was given.');
    const keys = await drawKeys(context, wantedKeys);
    judge(keys, context.sent.at(-1)?.exchange);
  },
};

function judge(keys: readonly DrawnKey[], evidence: Exchange | undefined): void {
  const users = new Set(keys.map(({ ptnCd }) => ptnCd)).size;
  const found = users < 2 ? undefined : findShared(keys, users);
  if (found !== undefined) fail({ expected: 'a different key for each user', ...found, evidence });
}

/** What is wrong with the keys, as it was observed and as a diagnosis. */
function findShared(drawn: readonly DrawnKey[], users: number) {
  const keys = [...new Set(drawn.map(({ key }) => key))];
  if (keys.length === 1) {
    const message = `All ${users} users got the same key.`;
    return { observed: 'one key for all', diagnosis: diagnose('key-constant', message) };
  }
  const usersOf = (wanted: string) =>
    new Set(drawn.flatMap(({ key, ptnCd }) => (key === wanted ? ptnCd : [])));
  if (keys.some((key) => usersOf(key).size > 1)) {
    const observed = `${counted(keys.length, 'distinct key')} in ${drawn.length} exchanges of ${users} users`;
    const message = `Only ${observed}: several users got the same key.`;
    return { observed, diagnosis: diagnose('key-repeated', message) };
  }
  const relation = findRelation(keys);
  if (relation === undefined) return undefined;
  const observed = `a key that is another one${relation}`;
  const message = `Of the keys of ${users} users, one is another one${relation}.`;
  return { observed, diagnosis: diagnose('key-repeated', message) };
}
