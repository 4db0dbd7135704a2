import { isLoopback } from '../../../protocol/http-url.ts';
import { fail, skip } from '../../expect.ts';
import type { ServiceCheck } from '../../service-check.ts';

export const tls: ServiceCheck = {
  id: 'service/tls',
  title: 'An address off loopback is https with a valid certificate chain',
  section: '5',
  sentence: "secret_key is held only on the application's server.",
  level: 'should',
  polarity: 'positive',
  stage: 'review',
  needs: ['service/issues-token'],
  run: async ({ base }) => {
    const { url, insecure } = base.world;
    if (url.protocol === 'https:') {
      if (insecure) skip('Certificates are not verified in this run.');
      // An answer has come over TLS, and the transport takes none from a chain that isn't valid.
      return undefined;
    }
    if (isLoopback(url)) return { notes: ['The address is on loopback, where no TLS is needed.'] };
    return fail({
      expected: 'an https address',
      observed: `${url.protocol}//`,
      mend: 'Serve it over https alone: the secret key of the application passes through it.',
      evidence: base.record.exchanges[0]?.exchange,
    });
  },
};
