import { hasResponse } from '../../../client/exchange.ts';
import type { DiagnosisCode } from '../../../errors.ts';
import { isLoopback } from '../../../protocol/endpoints.ts';
import type { CheckDefinition } from '../../check.ts';
import type { CheckContext } from '../../context.ts';
import { fail, failWith, skip } from '../../expect.ts';

const fix =
  'Serve the callback over https: without it, anyone on the network path can change the keys and passcodes.';

export const tls: CheckDefinition = {
  id: 'protocol/tls',
  title: 'should use https with a valid certificate chain, except on loopback',
  section: '5',
  sentence: 'Not shown: how the application verifies that a callback comes from the service.',
  production: 'sends',
  level: 'should',
  stage: 'review',
  run: async (context) => {
    await expectResponses(context);
    const { url, environment, record } = context;
    if (url.protocol === 'https:')
      return environment.insecure ? skip('Certificates are not verified in this run.') : {};
    if (isLoopback(url)) return { notes: ['The URL is on loopback, where no TLS is needed.'] };
    const evidence = record.exchanges[0]?.exchange;
    return fail({ expected: 'an https URL', observed: `${url.protocol}//`, fix, evidence });
  },
};

/** What makes TLS fail that is not set up as it should be. */
const tlsCodes: readonly DiagnosisCode[] = [
  'tls-untrusted',
  'tls-expired',
  'tls-hostname',
  'tls-version',
];

/** Fails for a chain that is not valid, over which the transport accepts no response; skips where none came for another reason. */
async function expectResponses(context: CheckContext): Promise<void> {
  const { record, user } = context;
  if (record.exchanges.length === 0) await context.exchange(user);
  const exchanges = record.exchanges.map(({ exchange }) => exchange);
  if (exchanges.some(hasResponse)) return;
  const broken = exchanges.find(({ failure }) => tlsCodes.some((code) => code === failure?.code));
  if (broken?.failure === undefined) return skip('No request got a response.');
  const { code } = broken.failure;
  const expected = code === 'tls-version' ? 'TLS 1.2 or 1.3' : 'a valid certificate chain';
  failWith(broken.failure, expected, code, broken);
}
