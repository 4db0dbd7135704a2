import { acsTokenIn, type ServiceCheckDefinition } from '../../service.ts';
import { expectAuthenticationsRefused, expectSignInsRefused } from '../../service-refusals.ts';

const advice = {
  risk: 'Anyone who has a token can then call the service as the application.',
  fix: 'Compare client_id and secret_key of the body with those of the application, in both calls and before anything else, and refuse with an error code and a message.',
  harm: 'lets-in',
} as const;

export const rejectsWrongSecret: ServiceCheckDefinition = {
  id: 'service/rejects-wrong-secret',
  title: 'must reject a wrong or missing secret_key or client_id',
  section: '5',
  sentence:
    'Calls to {auth_url} are authenticated by client_id together with secret_key. Both are sent in the JSON body.',
  stage: 'wrong-requests',
  needs: ['service/token-works'],
  run: async (context) => {
    const token = await expectSignInsRefused(
      context,
      [
        'token-secret-wrong',
        'token-secret-missing',
        'token-client-foreign',
        'token-client-missing',
      ],
      advice,
    );
    await expectAuthenticationsRefused(
      context,
      [
        'authenticate-secret-wrong',
        'authenticate-secret-missing',
        'authenticate-client-foreign',
        'authenticate-client-missing',
      ],
      acsTokenIn(token),
      advice,
    );
  },
};
