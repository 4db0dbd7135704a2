import { diagnoseKey } from '../../../diagnosis/per-user-key-words.ts';
import type { Check } from '../../check.ts';
import type { CheckContext } from '../../context.ts';
import { fail } from '../../expect.ts';
import { obtainKey } from '../../flows.ts';
import { findTrace, tracesOf } from '../../key-traces.ts';

export const plainKeyAbsent: Check = {
  id: 'key-exchange/plain-key-absent',
  title: 'No answer shows a plain key in any form',
  section: '4.1.1',
  sentence: 'The plain key must never appear in the response.',
  level: 'must',
  polarity: 'positive',
  stage: 'review',
  needs: ['key-exchange/answers-success', 'readable-key'],
  run: async (context) => {
    if (!hasUserWithTwoKeys(context)) await exchangeTwice(context);
    return review(context);
  },
};

/** The second exchange of a user might show the key of the first. */
function hasUserWithTwoKeys({ record }: CheckContext): boolean {
  return new Set(record.keys.map(({ ptnCd }) => ptnCd)).size < record.keys.length;
}

async function exchangeTwice(context: CheckContext): Promise<void> {
  await obtainKey(context, context.user);
  const key = await obtainKey(context, context.user);
  if (context.record.reported.size === 0) await context.register(context.user, key);
}

/** Looks for every key of the run in every answer of the run. */
function review({ record }: CheckContext): undefined {
  const traces = [...new Set(record.keys.map(({ key }) => key))].flatMap(tracesOf);
  for (const { exchange, operation } of record.exchanges) {
    const answer = exchange.answer ?? exchange.partial;
    const found = answer && findTrace(answer, traces);
    if (found === undefined) continue;
    const what = operation === 'key-exchange' ? 'a key exchange' : 'a registration';
    fail({
      expected: 'no plain per-user key in any answer',
      observed: `one in an answer, ${found.form}`,
      diagnosis: diagnoseKey(
        'key-leaked',
        `The answer to ${what} shows a plain per-user key ${found.place}, ${found.form}.`,
      ),
      evidence: exchange,
    });
  }
  return undefined;
}
