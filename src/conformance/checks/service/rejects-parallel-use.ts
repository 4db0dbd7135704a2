import { diagnosis } from '../../../diagnosis/diagnosis.ts';
import { control, expectAccepted, fail, isAccepted, skip } from '../../expect.ts';
import { acsTokenIn, type ServiceCheckDefinition } from '../../service.ts';

const requests = 5;

export const rejectsParallelUse: ServiceCheckDefinition = {
  id: 'service/rejects-parallel-use',
  title: `should accept an acs_token only once even if ${requests} requests send it at the same time`,
  section: '8',
  sentence: 'Limits: not shown (rate limits, size limits, access-token lifetime).',
  level: 'should',
  stage: 'wrong-requests',
  needs: ['service/rejects-used-acs-token'],
  run: async (context) => {
    const token = await context.requestToken(await context.ptnToken());
    await control(async () => expectAccepted(token, 'a token request'));
    const right = context.authenticateRequest(acsTokenIn(token));
    const sent = Array.from({ length: requests }, () =>
      context.sendMalformed('acs-token-in-parallel', right),
    );
    const outcomes = (await Promise.all(sent)).map(({ outcome }) => outcome);
    const completed = outcomes.filter(({ exchange }) => exchange.response !== undefined);
    if (completed.length < 2)
      skip('Fewer than two of the requests at the same time got a response.');
    const [first, second, ...more] = completed.filter(isAccepted);
    if (first === undefined) skip('None of the requests at the same time was accepted.');
    if (second === undefined) return;
    const observed = `${more.length + 2} of ${requests} accepted`;
    const message = `Of ${requests} authenticate requests that sent one acs_token at the same time, ${more.length + 2} were answered with code "0000", although a second request after the first is refused: whoever copies a token can use it beside its owner.`;
    const fix =
      'Find and use up the token in one atomic step, such as UPDATE … SET used = 1 WHERE token = ? AND used = 0, and go on only if one row was changed.';
    fail({
      harm: 'lets-in',
      expected: 'one of the requests to be accepted',
      observed,
      diagnosis: diagnosis('accepted-bad-input', message, fix),
      evidence: second.exchange,
    });
  },
};
