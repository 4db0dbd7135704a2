import { control, expectAccepted } from '../../expect.ts';
import type { ServiceCheck } from '../../service-check.ts';
import { acsTokenIn } from '../../service-context.ts';
import { expectSignInRefused, expectSignInsRefused, sendSpoilt } from '../../sign-in-refusals.ts';

export const rejectsWrongSecret: ServiceCheck = {
  id: 'service/rejects-wrong-secret',
  title: 'A wrong or missing secret_key or client_id is refused',
  section: '5',
  sentence:
    'Calls to {auth_url} are authenticated by client_id together with secret_key. Both are sent in the JSON body.',
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['service/token-works'],
  run: async (context) => {
    const token = await expectSignInsRefused(context, [
      'token-secret-wrong',
      'token-secret-missing',
      'token-client-foreign',
      'token-client-missing',
    ]);
    const right = context.authenticateRequest(acsTokenIn(token));
    const { outcome, about } = await sendSpoilt(context, 'authenticate-secret-wrong', right);
    expectSignInRefused(outcome, about);
    await control(async () =>
      expectAccepted(await context.authenticate(acsTokenIn(token)), 'an authenticate request'),
    );
    return undefined;
  },
};
