import { keyLeakFinder } from '../../../diagnosis/key-leak.ts';
import type { CheckDefinition } from '../../check.ts';
import { exchangeTwice, fail, hasUserWithTwoKeys } from '../../expect.ts';
import type { RunRecord } from '../../result.ts';

export const plainKeyAbsent: CheckDefinition = {
  id: 'key-exchange/plain-key-absent',
  title: 'must not show a plain key in any response',
  section: '4.1.1',
  sentence: 'The plain key must never appear in the response.',
  production: 'reviews',
  stage: 'review',
  needs: ['key-exchange/answers-success', 'readable-key'],
  review,
  run: async (context) => {
    // The second exchange of a user might show the key of the first, and the registration, which is not judged, either.
    const [, second] = hasUserWithTwoKeys(context) ? [] : await exchangeTwice(context);
    if (second?.ok && second.key) await context.register(context.user, second.key.reveal());
    review(context.record);
  },
};

/** Looks for every key of the run in every response of the run. */
function review(record: RunRecord): void {
  const findLeak = keyLeakFinder(record.keys.map(({ key }) => key));
  for (const { exchange, operation } of record.exchanges) {
    const response = exchange.response ?? exchange.partial;
    const to = operation === 'key-exchange' ? 'a key exchange' : 'a registration';
    const leak = response && findLeak(response, to);
    if (leak === undefined) continue;
    fail({
      harm: 'leaks',
      expected: 'no plain per-user key in any response',
      observed: `one in a response, ${leak.form}`,
      diagnosis: leak.diagnosis,
      evidence: exchange,
    });
  }
}
