import { headerOf } from '../../../client/exchange.ts';
import { diagnoseRedirect } from '../../../diagnosis/redirect.ts';
import type { Check } from '../../check.ts';
import { fail, failWith, isAccepted } from '../../expect.ts';

export const httpStatus: Check = {
  id: 'protocol/http-status',
  title: 'Success comes with status 200, an error not with a redirect',
  section: '7',
  sentence: 'A client library may also surface the HTTP status code.',
  level: 'should',
  polarity: 'positive',
  stage: 'review',
  needs: ['key-exchange/answers-success'],
  run: async ({ record }) => {
    for (const { exchange, outcome } of record.exchanges) {
      const { answer, request } = exchange;
      if (answer === undefined) continue;
      const { status } = answer;
      if (isAccepted(outcome) && status !== 200) {
        const expected = 'success with the HTTP status 200';
        const mend = 'Answer success with 200: clients and proxies look at the status first.';
        fail({ expected, observed: `success with ${status}`, mend, evidence: exchange });
      }
      const location = headerOf(answer.headers, 'location');
      const redirect = diagnoseRedirect({ status, location, url: request.url });
      if (redirect !== undefined) {
        failWith(redirect, 'an error without a redirect', `HTTP ${status}`, exchange);
      }
    }
    return undefined;
  },
};
