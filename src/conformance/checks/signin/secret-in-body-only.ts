import { secretPlaces } from '../../../protocol/secret-places.ts';
import { fail } from '../../expect.ts';
import type { SigninCheck } from '../../signin-check.ts';
import { anyCalls } from '../../signin-expect.ts';
import type { ReceivedCall } from '../../signin-world.ts';

export const secretInBodyOnly: SigninCheck = {
  id: 'signin/secret-in-body-only',
  title: 'secret_key stands in the body alone, not in the URL or a header',
  section: '5',
  sentence:
    'Both are sent in the JSON body; no header or token scheme is involved for these two fields.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: [],
  run: async (context) => {
    const { secretKey } = context.world;
    for (const call of anyCalls(await context.rightSignIn())) {
      const places = secretPlaces(headOf(call), secretKey.reveal());
      if (places.length === 0) continue;
      fail({
        expected: 'secret_key in the body alone',
        observed: `secret_key in ${places.join(' and ')}`,
        mend: 'Take it out there: addresses and headers are written to logs on the way, and the interface has no place for it but the body.',
        evidence: call.exchange,
      });
    }
    return undefined;
  },
};

function headOf({ path, exchange: { request } }: ReceivedCall) {
  const headers = Object.fromEntries(
    request.headers.map(([name, value]) => [name.toLowerCase(), value]),
  );
  return { path, query: request.url.search.slice(1), headers };
}
