import { diagnosis } from '../../../diagnosis/diagnosis.ts';
import { type CheckDefinition, CheckFailed } from '../../check.ts';
import type { CheckContext } from '../../context.ts';
import {
  aboutMalformed,
  isMalformedName,
  type MalformedName,
  malformedNames,
  operationOf,
} from '../../malformed.ts';
import { plainUserInfo } from '../../test-data.ts';

export const survivesBadInput: CheckDefinition = {
  id: 'protocol/survives-bad-input',
  title: 'must accept a valid sign-up after all malformed requests',
  section: '4.1',
  sentence: 'When a valid request arrives, the application generates a new 32-character key.',
  polarity: 'negative',
  stage: 'aftermath',
  needs: ['key-exchange/answers-success'],
  run: async (context) => {
    const { user, record } = context;
    const missing = malformedNames.filter((name) => !record.malformed.has(name));
    for (const name of missing) await sendBadInput(context, name);
    const what = 'a valid key exchange after all bad input';
    const outcome = await context.acceptedExchange(user, { what }).catch((error: unknown) => {
      throw withEndOfApplication(error, context);
    });
    if (!context.hasPassed('registration/answers-success')) {
      return {
        notes: ['Only the key exchange was tried: no valid registration was accepted in this run.'],
      };
    }
    await context.registerRightly(user, context.keyIn(outcome), {
      userInfo: plainUserInfo,
      what: 'a valid registration after all bad input',
    });
    return {};
  },
};

/** A refused connection with the malformed request after which it is refused. */
function withEndOfApplication(error: unknown, { record }: CheckContext): unknown {
  if (!(error instanceof CheckFailed) || error.fault.diagnosis?.code !== 'refused') return error;
  const { malformed: name = '' } =
    record.exchanges.findLast(({ outcome }) => outcome.diagnosis?.code !== 'refused') ?? {};
  if (!isMalformedName(name)) return error;
  const message = `The application stopped accepting connections after ${aboutMalformed(name)}: it probably ended.`;
  const hint =
    'Find the uncaught exception in the log of the application, and let the handler catch it and respond with a code of its own.';
  const cause = diagnosis('refused', message, hint);
  return new CheckFailed({ ...error.fault, diagnosis: cause, fix: hint });
}

/** Sends what no other check has sent; judging the response is left to those. */
async function sendBadInput(context: CheckContext, name: MalformedName): Promise<void> {
  const { user } = context;
  if (operationOf(name) === 'key-exchange') {
    await context.sendMalformed(name, await context.rightExchange(user));
    return;
  }
  const { key } = await context.exchange(user);
  const right = context.rightRegistration(user, key?.reveal() ?? '0'.repeat(32), plainUserInfo);
  const fields = name === 'undecryptable-partner-sp' ? { partner_sp: 'AAAA' } : {};
  await context.sendMalformed(name, right, fields);
}
