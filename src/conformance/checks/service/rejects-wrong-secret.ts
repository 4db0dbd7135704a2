import { acsTokenIn, type ServiceCheckDefinition } from '../../service.ts';
import { expectAuthenticationsRefused, expectSignInsRefused } from '../../service-refusals.ts';

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
    await expectAuthenticationsRefused(
      context,
      [
        'authenticate-secret-wrong',
        'authenticate-secret-missing',
        'authenticate-client-foreign',
        'authenticate-client-missing',
      ],
      acsTokenIn(token),
    );
  },
};
