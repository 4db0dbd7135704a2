import type { Check } from '../../check.ts';
import { control, expectAccepted, expectRefused, fail } from '../../expect.ts';
import { type MalformedName, malform } from '../../malformed.ts';

const broken: readonly MalformedName[] = ['json-cut', 'json-none', 'json-empty', 'json-array'];

export const rejectsMalformedJson: Check = {
  id: 'protocol/rejects-malformed-json',
  title: 'A broken body is refused with an answer, and the next valid request works',
  section: '7',
  sentence: 'Every response carries code and message.',
  level: 'should',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['key-exchange/answers-success'],
  run: async (context) => {
    const exchange = async (what: string): Promise<void> =>
      expectAccepted(await context.exchange(context.user), what);
    await control(() => exchange('the same key exchange, unspoilt'));
    const right = await context.rightExchange(context.user);
    for (const malformed of broken.map((name) => malform(name, right))) {
      const outcome = await context.sendMalformed(malformed);
      expectRefused(outcome, malformed.about);
      if (outcome.exchange.answer !== undefined) continue;
      fail({
        expected: `an answer to ${malformed.about}`,
        observed: 'none',
        diagnosis: outcome.diagnosis,
        evidence: outcome.exchange,
      });
    }
    await exchange('a valid key exchange after broken bodies');
    return undefined;
  },
};
