import { control, expectAccepted } from '../../expect.ts';
import { acsTokenIn, expectSignInsRefused, type ServiceCheckDefinition } from '../../service.ts';

export const rejectsWrongSecret: ServiceCheckDefinition = {
  id: 'service/rejects-wrong-secret',
  title: 'must reject a wrong or missing secret_key or client_id',
  section: '5',
  sentence:
    'Calls to {auth_url} are authenticated by client_id together with secret_key. Both are sent in the JSON body.',
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
    await context.expectRefused('authenticate-secret-wrong', right);
    await control(async () =>
      expectAccepted(await context.authenticate(acsTokenIn(token)), 'an authenticate request'),
    );
  },
};
