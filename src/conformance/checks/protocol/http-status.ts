import { headerOf } from '../../../client/exchange.ts';
import { diagnoseRedirect } from '../../../diagnosis/response.ts';
import { type CheckDefinition, reviewing } from '../../check.ts';
import { fail, failWith, isAccepted } from '../../expect.ts';

export const httpStatus: CheckDefinition = {
  id: 'protocol/http-status',
  title: 'should respond to success with status 200, and to errors without a redirect',
  section: '7',
  sentence: 'A client library may also surface the HTTP status code.',
  ...reviewing(({ exchanges }) => {
    for (const { exchange, outcome } of exchanges) {
      const { response, request } = exchange;
      if (response === undefined) continue;
      const { status } = response;
      if (isAccepted(outcome) && status !== 200) {
        const expected = 'success with the HTTP status 200';
        const fix = 'Send success with status 200: clients and proxies check the status first.';
        fail({ expected, observed: `success with ${status}`, fix, evidence: exchange });
      }
      const location = headerOf(response.headers, 'location');
      const redirect = diagnoseRedirect({ status, location, url: request.url });
      if (redirect !== undefined)
        failWith(redirect, 'an error without a redirect', `HTTP ${status}`, exchange);
    }
  }),
};
