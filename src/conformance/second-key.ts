import type { KeyExchangeOutcome } from '../client/signup.ts';
import type { CheckContext } from './context.ts';
import { expectAccepted, isAccepted } from './expect.ts';

/** Whether a user of the run was given two keys, the same one twice included. */
export function hasUserWithTwoKeys({ record }: CheckContext): boolean {
  return new Set(record.keys.map(({ ptnCd }) => ptnCd)).size < record.keys.length;
}

/**
 * Exchanges a key twice for the user of a check that reviews the run; returns both exchanges. After malformed
 * requests the first may fail, and none is returned: whether the application survives those is what
 * `protocol/survives-bad-input` judges, and the keys from before can be reviewed all the same.
 */
export async function exchangeTwice(context: CheckContext): Promise<readonly KeyExchangeOutcome[]> {
  const what = 'a key exchange';
  const first = await context.exchange(context.user);
  if (!isAccepted(first) && context.record.malformed.size > 0) return [];
  expectAccepted(first, what);
  const second = await context.acceptedExchange(context.user, { what: `${what} of the same user` });
  return [first, second];
}
