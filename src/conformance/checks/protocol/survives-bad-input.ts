import type { Check } from '../../check.ts';
import type { CheckContext } from '../../context.ts';
import { expectAccepted } from '../../expect.ts';
import { keyIn, plainUserInfo } from '../../flows.ts';
import { type MalformedName, malform, malformedNames, operationOf } from '../../malformed.ts';

export const survivesBadInput: Check = {
  id: 'protocol/survives-bad-input',
  title: 'After all bad input, a valid sign-up still works',
  section: '4.1',
  sentence: 'When a valid request arrives, the application generates a new 32-character key.',
  level: 'must',
  polarity: 'negative',
  stage: 'aftermath',
  needs: ['key-exchange/answers-success'],
  run: async (context) => {
    const { user, record } = context;
    const missing = malformedNames.filter((name) => !record.malformed.has(name));
    for (const name of missing) await sendBadInput(context, name);
    const outcome = await context.exchange(user);
    expectAccepted(outcome, 'a valid key exchange after all bad input');
    if (!context.world.hasPassed('registration/answers-success')) {
      return { notes: ['Only the key exchange was tried: registrations are not accepted anyway.'] };
    }
    const options = { userInfo: plainUserInfo };
    const registered = await context.register(user, keyIn(context, outcome), options);
    expectAccepted(registered, 'a valid registration after all bad input');
    return undefined;
  },
};

/** What no other check of this run has sent; how it is answered is for those checks to judge. */
async function sendBadInput(context: CheckContext, name: MalformedName): Promise<void> {
  const { user } = context;
  if (operationOf(name) === 'key-exchange') {
    await context.sendMalformed(malform(name, await context.rightExchange(user)));
    return;
  }
  const { key } = await context.exchange(user);
  const right = context.rightRegistration(user, key?.reveal() ?? '0'.repeat(32), plainUserInfo);
  const fields = name === 'undecryptable-partner-sp' ? { partner_sp: 'AAAA' } : {};
  await context.sendMalformed(malform(name, right, fields));
}
