import type { CheckDefinition } from '../../check.ts';
import { describeResponse, diagnoseMessage, failWith, isAccepted, skip } from '../../expect.ts';
import type { RunRecord } from '../../result.ts';

export const errorShape: CheckDefinition = {
  id: 'protocol/error-shape',
  title: 'should respond to errors with code and message as strings too',
  section: '7',
  sentence: 'Every response carries code and message.',
  level: 'should',
  polarity: 'negative',
  stage: 'review',
  needs: ['key-exchange/answers-success'],
  review: judgeRefusals,
  run: async (context) => {
    if (refusals(context.record).length === 0) {
      const right = await context.rightExchange(context.user);
      await context.sendMalformed('missing-ptn-cd', right);
      await context.sendMalformed('json-none', right);
    }
    const hasRefusal = refusals(context.record).length > 0;
    if (!hasRefusal) skip('No malformed request was refused with a response.');
    judgeRefusals(context.record);
  },
};

function judgeRefusals(record: RunRecord): void {
  for (const { outcome, exchange } of refusals(record)) {
    const isRefusal = outcome.reading?.problem?.kind === 'code-not-success';
    const diagnosis = isRefusal ? diagnoseMessage(outcome) : outcome.diagnosis;
    if (diagnosis === undefined) continue;
    const expected = 'an error as JSON with code and message as strings';
    failWith(diagnosis, expected, describeResponse(outcome), exchange);
  }
}

/** The wrong requests that were refused with a response; a redirect is another check's. */
function refusals({ exchanges }: RunRecord) {
  return exchanges.filter(
    ({ intent, outcome }) =>
      intent === 'wrong' && outcome.reading !== undefined && !isAccepted(outcome),
  );
}
