import type { SigninCheckDefinition } from '../../signin-check.ts';
import { acsTokensOf, expectFields, firstCallTo } from '../../signin-expect.ts';

export const authenticateFields: SigninCheckDefinition = {
  id: 'signin/authenticate-fields',
  title: 'must send client_id, secret_key and acs_token in the authenticate request',
  section: '4.2.2',
  sentence: 'Request body: client_id, secret_key, acs_token; all required.',
  run: async (context) => {
    const attempt = await context.rightSignIn();
    expectFields(firstCallTo(attempt, 'authenticate'), {
      client_id: context.base.environment.clientId,
      secret_key: context.environment.secretKey.reveal(),
      acs_token: acsTokensOf(attempt),
    });
  },
};
