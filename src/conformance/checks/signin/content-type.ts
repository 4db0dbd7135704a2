import { headerOf } from '../../../client/exchange.ts';
import { contentType as rightType, saysJsonInUtf8 } from '../../../protocol/endpoints.ts';
import { excerptOf } from '../../../text.ts';
import type { SigninCheckDefinition } from '../../signin-check.ts';
import { everyCall } from '../../signin-expect.ts';

export const contentType: SigninCheckDefinition = {
  id: 'signin/content-type',
  title: 'must send both requests as application/json;charset=utf-8',
  section: '4.2',
  sentence: 'All requests carry the header Content-type: application/json;charset=utf-8.',
  ...everyCall(({ exchange }) => {
    const type = headerOf(exchange.request.headers, 'content-type');
    if (saysJsonInUtf8(type)) return undefined;
    return {
      expected: `Content-type: ${rightType}`,
      observed: type === undefined ? 'no Content-type' : `Content-type: ${excerptOf(type, 80)}`,
      fix: 'Set the header yourself: many libraries send application/json without the charset, or the type of a form.',
    };
  }),
};
