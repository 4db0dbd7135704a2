import { nearNames } from '../../malformed-sign-in.ts';
import { acsTokenIn, type ServiceCheckDefinition } from '../../service.ts';
import { expectAuthenticationsRefused, expectSignInsRefused } from '../../service-refusals.ts';

const advice = {
  risk: 'Anyone can send a value that is nearly right, or of a type that a loose comparison takes for everything, and call the service as the application.',
  fix: 'Demand that client_id and secret_key are JSON strings, and compare them whole, byte by byte and in constant time, in both calls.',
  harm: 'lets-in',
} as const;

export const exactCredentials: ServiceCheckDefinition = {
  id: 'service/exact-credentials',
  title:
    'must reject a secret_key or client_id that is cut, longer, in another case or not a string',
  section: '5',
  sentence:
    'Calls to {auth_url} are authenticated by client_id together with secret_key. Both are sent in the JSON body.',
  stage: 'wrong-requests',
  needs: ['service/token-works'],
  run: async (context) => {
    const atToken = [...nearNames('token-secret'), ...nearNames('token-client')];
    const token = await expectSignInsRefused(context, atToken, advice);
    const atAuthenticate = [
      ...nearNames('authenticate-secret'),
      ...nearNames('authenticate-client'),
    ];
    await expectAuthenticationsRefused(context, atAuthenticate, acsTokenIn(token), advice);
  },
};
