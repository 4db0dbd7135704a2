import type { SigninCheck } from '../../signin-check.ts';
import { answered, callsTo, firstCallTo } from '../../signin-expect.ts';
import { expectFields } from '../../signin-fields.ts';

export const authenticateFields: SigninCheck = {
  id: 'signin/authenticate-fields',
  title: 'The authenticate request carries client_id, secret_key and acs_token',
  section: '4.2.2',
  sentence: 'Request body: client_id, secret_key, acs_token; all required.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: [],
  run: async (context) => {
    const attempt = await context.rightSignIn();
    const issued = callsTo(attempt, 'token').flatMap((call) => answered(call, 'acs_token') ?? []);
    expectFields(firstCallTo(attempt, 'authenticate'), {
      client_id: context.base.world.clientId,
      secret_key: context.world.secretKey.reveal(),
      acs_token: issued,
    });
    return undefined;
  },
};
