import { diagnose } from '../../../diagnosis/catalogue.ts';
import { counted, grouped } from '../../../text.ts';
import type { CheckDefinition } from '../../check.ts';
import { exchangeTwice, fail, hasUserWithTwoKeys, untested } from '../../expect.ts';
import type { RunRecord } from '../../result.ts';

/**
 * Judges all exchanges of a user in the run: where only one may sign up, they are more than 16, and so
 * show that keys are drawn from a pool of up to 16.
 */
export const newKeyEachTime: CheckDefinition = {
  id: 'key-exchange/new-key-each-time',
  title: 'must generate a new key in each key exchange of a user',
  section: '4.1.1',
  sentence: 'When a valid request arrives, the application generates a new 32-character key.',
  production: 'reviews',
  stage: 'review',
  needs: ['key-exchange/answers-success', 'usable-key'],
  review,
  run: async (context) => {
    for (const outcome of await exchangeTwice(context)) context.keyIn(outcome);
    review(context.record);
    if (hasUserWithTwoKeys(context)) return;
    untested('No user was given two keys: the application accepts no key exchange any more.');
  },
};

function review(record: RunRecord): void {
  const repeated = findRepeated(record);
  if (repeated === undefined) return;
  const { keys, different, evidence } = repeated;
  fail({
    expected: 'a new key in each exchange of a user',
    observed: `${counted(different, 'distinct key')} in ${keys} exchanges of one user`,
    diagnosis: diagnose(
      'key-repeated',
      keys === 2
        ? 'The user exchanged a key twice and got the same key both times.'
        : `A user exchanged a key ${keys} times and got only ${counted(different, 'distinct key')}.`,
    ),
    evidence,
  });
}

/** The first user who was given a key twice. */
function findRepeated(record: RunRecord) {
  for (const [user, drawn] of grouped(record.keys, ({ ptnCd }) => ptnCd)) {
    const different = new Set(drawn.map(({ key }) => key)).size;
    if (different === drawn.length) continue;
    const last = record.keyExchanges.findLast(({ ptnCd }) => ptnCd === user);
    return { keys: drawn.length, different, evidence: last?.outcome.exchange };
  }
  return undefined;
}
