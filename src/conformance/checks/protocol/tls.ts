import { isLoopback } from '../../../protocol/http-url.ts';
import type { Check } from '../../check.ts';
import { fail, skip } from '../../expect.ts';

export const tls: Check = {
  id: 'protocol/tls',
  title: 'A URL off loopback is https with a valid certificate chain',
  section: '5',
  sentence: 'Not shown: how the application verifies that a callback comes from the service.',
  level: 'should',
  polarity: 'positive',
  stage: 'review',
  needs: ['key-exchange/answers-success'],
  run: async ({ world, record }) => {
    const { url, insecure } = world;
    if (url.protocol === 'https:') {
      if (insecure) skip('Certificates are not verified in this run.');
      // An answer has come over TLS, and the transport takes none from a chain that isn't valid.
      return undefined;
    }
    if (isLoopback(url)) return { notes: ['The URL is on loopback, where no TLS is needed.'] };
    return fail({
      expected: 'an https URL',
      observed: `${url.protocol}//`,
      mend: 'Serve the callback over https: wrapped keys and passcodes pass through it, and whoever is on the way could change them.',
      evidence: record.exchanges[0]?.exchange,
    });
  },
};
