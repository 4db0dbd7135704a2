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

/** Fails for the first user who was given a key twice. */
function review({ keys, keyExchanges }: RunRecord): void {
  for (const [user, drawn] of grouped(keys, ({ ptnCd }) => ptnCd)) {
    const different = new Set(drawn.map(({ key }) => key)).size;
    if (different === drawn.length) continue;
    const few = counted(different, 'distinct key');
    fail({
      expected: 'a new key in each exchange of a user',
      observed: `${few} in ${drawn.length} exchanges of one user`,
      diagnosis: diagnose(
        'key-repeated',
        drawn.length === 2
          ? 'The user exchanged a key twice and got the same key both times.'
          : `A user exchanged a key ${drawn.length} times and got only ${few}.`,
      ),
      evidence: keyExchanges.findLast(({ ptnCd }) => ptnCd === user)?.outcome.exchange,
    });
  }
}
