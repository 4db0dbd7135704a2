import type { CheckDefinition } from '../../check.ts';
import { control, fail } from '../../expect.ts';
import { aboutMalformed } from '../../malformed.ts';

export const rejectsMalformedJson: CheckDefinition = {
  id: 'protocol/rejects-malformed-json',
  title: 'should reject a malformed body with a response, and accept the next valid request',
  section: '7',
  sentence: 'Every response carries code and message.',
  level: 'should',
  stage: 'wrong-requests',
  needs: ['key-exchange/answers-success'],
  run: async (context) => {
    const { user } = context;
    const what = 'the same key exchange, unmodified';
    await control(() => context.acceptedExchange(user, { what }));
    const right = await context.rightExchange(user);
    for (const name of ['json-cut', 'json-none', 'json-empty', 'json-array'] as const) {
      const { exchange: evidence, diagnosis } = await context.expectRefused(name, right);
      if (evidence.response !== undefined) continue;
      const expected = `a response to ${aboutMalformed(name)}`;
      fail({ expected, observed: 'none', diagnosis, evidence });
    }
    await context.acceptedExchange(user, { what: 'a valid key exchange after broken bodies' });
  },
};
