import type { Exchange } from '../../../client/exchange.ts';
import type { Diagnosis } from '../../../errors.ts';
import type { CheckDefinition, Fault } from '../../check.ts';
import { drawKeys, fail } from '../../expect.ts';
import { findPattern } from '../../keys.ts';
import type { DrawnKey } from '../../result.ts';

/** Enough to show what they have in common. */
const wantedKeys = 5;

export const keyIsRandom: CheckDefinition = {
  id: 'key-exchange/key-is-random',
  title: 'must generate random, unpredictable keys',
  section: '2.2',
  sentence: 'The application generates it for each user as a random string of 32 characters.',
  production: 'reviews',
  stage: 'right-requests',
  needs: ['key-exchange/answers-success', 'usable-key'],
  users: wantedKeys,
  fewerWillDo: true,
  review: (record, clientId = '') =>
    judge(record.keys, clientId, record.keyExchanges.at(-1)?.outcome.exchange),
  run: async (context) => {
    const keys = await drawKeys(context, wantedKeys);
    judge(keys, context.environment.clientId, context.sent.at(-1)?.exchange);
  },
};

function judge(keys: readonly DrawnKey[], clientId: string, evidence?: Exchange): void {
  const diagnosis = findPattern(keys, clientId);
  if (diagnosis !== undefined) fail(patternFault(diagnosis, keys.length, evidence));
}

/** What `count` keys with a pattern are blamed for. */
export function patternFault(diagnosis: Diagnosis, count: number, evidence?: Exchange): Fault {
  return {
    expected: 'keys that are random strings',
    observed: `keys with a pattern, seen in ${count} of them`,
    diagnosis,
    fix: diagnosis.hint,
    ...(evidence && { evidence }),
  };
}
