import type { SigninCheckDefinition } from '../../signin-check.ts';
import { expectFields, firstCallTo } from '../../signin-expect.ts';

export const tokenFields: SigninCheckDefinition = {
  id: 'signin/token-fields',
  title: 'must send client_id, secret_key and ptn_token in the token request',
  section: '4.2.1',
  sentence: 'Request body: client_id, secret_key, ptn_token; all required.',
  run: async (context) => {
    const attempt = await context.rightSignIn();
    expectFields(firstCallTo(attempt, 'token'), {
      client_id: context.base.environment.clientId,
      secret_key: context.environment.secretKey.reveal(),
      ptn_token: attempt.ptnToken,
    });
  },
};
