import type { CallOutcome } from '../../../client/call.ts';
import type { Diagnosis } from '../../../errors.ts';
import type { CheckDefinition } from '../../check.ts';
import type { CheckContext } from '../../context.ts';
import { describeAnswer, diagnoseMessage, failWith, isAccepted, skip } from '../../expect.ts';

export const errorShape: CheckDefinition = {
  id: 'protocol/error-shape',
  title: 'should respond to errors with code and message as strings too',
  section: '7',
  sentence: 'Every response carries code and message.',
  level: 'should',
  polarity: 'negative',
  stage: 'review',
  needs: ['key-exchange/answers-success'],
  run: async (context) => {
    if (refusals(context).length === 0) await provoke(context);
    judgeRefusals(context);
  },
};

/** Judges every refusal of the run that came with a response; skips the check without one. */
export function judgeRefusals(context: CheckContext): void {
  const refused = refusals(context);
  if (refused.length === 0) skip('No malformed request was refused with a response.');
  for (const { outcome, exchange } of refused) {
    const diagnosis = faultOf(outcome);
    if (diagnosis === undefined) continue;
    const expected = 'an error as JSON with code and message as strings';
    failWith(diagnosis, expected, describeAnswer(outcome), exchange);
  }
}

/** The wrong requests that were refused with an answer; a redirect is another check's. */
function refusals({ record }: CheckContext) {
  return record.exchanges.filter(
    ({ intent, outcome }) =>
      intent === 'wrong' && outcome.reading !== undefined && !isAccepted(outcome),
  );
}

async function provoke(context: CheckContext): Promise<void> {
  const right = await context.rightExchange(context.user);
  await context.sendMalformed('missing-ptn-cd', right);
  await context.sendMalformed('json-none', right);
}

function faultOf(outcome: CallOutcome<object>): Diagnosis | undefined {
  const isRefusal = outcome.reading?.problem?.kind === 'code-not-success';
  return isRefusal ? diagnoseMessage(outcome) : outcome.diagnosis;
}
