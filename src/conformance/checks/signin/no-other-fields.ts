import { excerptOf } from '../../../text.ts';
import { fail } from '../../expect.ts';
import type { SigninCheck } from '../../signin-check.ts';
import { anyCalls, fieldsIn } from '../../signin-expect.ts';
import type { ReceivedCall } from '../../signin-world.ts';

const fieldsOf = {
  token: ['client_id', 'secret_key', 'ptn_token'],
  authenticate: ['client_id', 'secret_key', 'acs_token'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export const noOtherFields: SigninCheck = {
  id: 'signin/no-other-fields',
  title: 'Both requests carry their three fields and no others',
  section: '4.2',
  sentence: 'Request body: three fields each.',
  level: 'should',
  polarity: 'positive',
  stage: 'foundation',
  needs: [],
  run: async (context) => {
    for (const call of anyCalls(await context.rightSignIn())) {
      const others = otherFields(call);
      if (others.length === 0) continue;
      fail({
        expected: 'three fields',
        observed: `also ${others.map((name) => excerptOf(name, 40)).join(', ')}`,
        mend: 'Send what the interface names and nothing else: a service that looks closely may refuse the rest, and it is passed on to somebody who did not ask for it.',
        evidence: call.exchange,
      });
    }
    return undefined;
  },
};

function otherFields(call: ReceivedCall): readonly string[] {
  const known: readonly string[] = fieldsOf[call.operation ?? 'token'];
  return Object.keys(fieldsIn(call) ?? {}).filter((name) => !known.includes(name));
}
