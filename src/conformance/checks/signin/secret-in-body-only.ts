import { secretPlaces } from '../../../protocol/secret-fields.ts';
import type { SigninCheckDefinition } from '../../signin-check.ts';
import { everyCall } from '../../signin-expect.ts';

export const secretInBodyOnly: SigninCheckDefinition = {
  id: 'signin/secret-in-body-only',
  title: 'must send secret_key only in the body, not in the URL or a header',
  section: '5',
  sentence:
    'Both are sent in the JSON body; no header or token scheme is involved for these two fields.',
  ...everyCall(({ path, exchange: { request } }, secretKey) => {
    const query = request.url.search.slice(1);
    const headers = Object.fromEntries(
      request.headers.map(([name, value]) => [name.toLowerCase(), value]),
    );
    const places = secretPlaces({ path, query, headers }, secretKey.reveal());
    if (places.length === 0) return undefined;
    return {
      harm: 'leaks',
      expected: 'secret_key only in the body',
      observed: `secret_key in ${places.join(' and ')}`,
      fix: 'Send it only in the body: URLs and headers end up in logs.',
    };
  }),
};
