import type { DiagnosisCode } from '../../../errors.ts';
import { isLoopback } from '../../../protocol/http-url.ts';
import type { Check } from '../../check.ts';
import type { CheckContext } from '../../context.ts';
import { fail, failWith, skip } from '../../expect.ts';
import { isAnswered } from '../../result.ts';

export const tls: Check = {
  id: 'protocol/tls',
  title: 'A URL off loopback is https with a valid certificate chain',
  section: '5',
  sentence: 'Not shown: how the application verifies that a callback comes from the service.',
  level: 'should',
  polarity: 'positive',
  stage: 'review',
  needs: [],
  run: async (context) => {
    const { url, insecure } = context.world;
    await expectAnswers(context);
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
      evidence: context.record.exchanges[0]?.exchange,
    });
  },
};

/** What makes a chain one that is not valid. */
const chainCodes: readonly DiagnosisCode[] = ['tls-untrusted', 'tls-expired', 'tls-hostname'];

/** Fails for a chain that is not valid, which lets no answer through; skips where none came for another reason. */
async function expectAnswers(context: CheckContext): Promise<void> {
  const { record, user } = context;
  if (record.exchanges.length === 0) await context.exchange(user);
  const exchanges = record.exchanges.map(({ exchange }) => exchange);
  if (exchanges.some(isAnswered)) return;
  const broken = exchanges.find(({ failure }) => chainCodes.some((code) => code === failure?.code));
  if (broken?.failure === undefined) skip('No request got an answer.');
  else failWith(broken.failure, 'a valid certificate chain', broken.failure.code, broken);
}
