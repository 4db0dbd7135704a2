import type { SigninCheck } from '../../signin-check.ts';
import { firstCallTo } from '../../signin-expect.ts';
import { expectFields } from '../../signin-fields.ts';

export const tokenFields: SigninCheck = {
  id: 'signin/token-fields',
  title: 'The token request carries client_id, secret_key and ptn_token',
  section: '4.2.1',
  sentence: 'Request body: client_id, secret_key, ptn_token; all required.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: [],
  run: async (context) => {
    const attempt = await context.rightSignIn();
    expectFields(firstCallTo(attempt, 'token'), {
      client_id: context.base.world.clientId,
      secret_key: context.world.secretKey.reveal(),
      ptn_token: attempt.ptnToken,
    });
    return undefined;
  },
};
