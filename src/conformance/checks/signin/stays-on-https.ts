import { refusesOnError } from '../../../diagnosis/signin-calls.ts';
import { fail } from '../../expect.ts';
import type { SigninCheckDefinition } from '../../signin-check.ts';
import { rejectsIn } from '../../signin-refusals.ts';

const fix =
  'Use {auth_url} as it is configured, with its https, and refuse if TLS fails: no fallback to http, and no switch that leaves out the verification of certificates.';

export const staysOnHttps: SigninCheckDefinition = {
  id: 'signin/stays-on-https',
  title: 'must send nothing in plain text where {auth_url} is https',
  section: '5',
  sentence: "secret_key is held only on the application's server.",
  stage: 'wrong-requests',
  needs: ['signin/accepts-right-sign-in', 'signin/both-calls'],
  run: async (context) => {
    const passed = await rejectsIn(context, 'signin/stays-on-https', {
      risk: 'Who keeps TLS from working gets in as anybody.',
      fix,
      calls: refusesOnError,
    });
    const attempts = await context.attempts();
    const [sent] = attempts.flatMap(({ scenario, strayRequests }) =>
      scenario.name === 'plain-text' ? strayRequests : [],
    );
    if (sent === undefined) return passed;
    const [line = ''] = sent.split('\r\n');
    return fail({
      harm: 'leaks',
      expected: 'a TLS handshake',
      observed: `"${line.slice(0, 80)}" in plain text`,
      fix,
    });
  },
};
