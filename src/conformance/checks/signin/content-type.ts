import { headerOf } from '../../../client/exchange.ts';
import { contentType as rightType, saysJsonInUtf8 } from '../../../protocol/endpoints.ts';
import { excerptOf } from '../../../text.ts';
import { fail } from '../../expect.ts';
import type { SigninCheck } from '../../signin-check.ts';
import { anyCalls } from '../../signin-expect.ts';
import type { ReceivedCall } from '../../signin-world.ts';

export const contentType: SigninCheck = {
  id: 'signin/content-type',
  title: 'Both requests say application/json;charset=utf-8',
  section: '4.2',
  sentence: 'All requests carry the header Content-type: application/json;charset=utf-8.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: [],
  run: async (context) => {
    const calls = anyCalls(await context.rightSignIn());
    const wrong = calls.find((call) => !saysJsonInUtf8(typeOf(call)));
    if (wrong === undefined) return undefined;
    const said = typeOf(wrong);
    return fail({
      expected: `Content-type: ${rightType}`,
      observed: said === undefined ? 'no Content-type' : `Content-type: ${excerptOf(said, 80)}`,
      mend: 'Set the header yourself: many libraries send application/json without the charset, or the type of a form.',
      evidence: wrong.exchange,
    });
  },
};

function typeOf({ exchange }: ReceivedCall): string | undefined {
  return headerOf(exchange.request.headers, 'content-type');
}
