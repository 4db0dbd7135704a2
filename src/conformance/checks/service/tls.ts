import type { ServiceCheckDefinition } from '../../service.ts';
import { judgeTls } from '../protocol/tls.ts';

export const tls: ServiceCheckDefinition = {
  id: 'service/tls',
  title: 'should use https with a valid certificate chain, except on loopback',
  section: '5',
  sentence: "secret_key is held only on the application's server.",
  level: 'should',
  stage: 'review',
  needs: ['service/issues-token'],
  run: async ({ base }) =>
    judgeTls(
      base,
      'address',
      'Serve it over https only: every request contains the secret key of the application.',
    ),
};
