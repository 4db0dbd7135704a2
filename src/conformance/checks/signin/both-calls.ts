import { fail, untested } from '../../expect.ts';
import type { Attempt, SigninCheckDefinition } from '../../signin-check.ts';
import { callsTo } from '../../signin-expect.ts';

export const bothCalls: SigninCheckDefinition = {
  id: 'signin/both-calls',
  title: 'must exchange the ptn_token and then authenticate',
  section: '1.3',
  sentence:
    "The application's server then performs two steps: it exchanges ptn_token for an access token, and authenticates with the access token.",
  run: async (context) => {
    const attempt = await context.rightSignIn();
    const token = callsTo(attempt, 'token');
    if (token.length === 0) return failWithoutToken(attempt);
    if (callsTo(attempt, 'authenticate').length > 0) return;
    if (attempt.conclusion.verdict !== 'signed-in') {
      untested(
        `No authenticate request came, and ${attempt.user.ptnCd} was not signed in (${attempt.conclusion.how}).`,
      );
    }
    return fail({
      harm: 'lets-in',
      expected: 'POST {auth_url}/process/authenticate after the token request',
      observed: `${attempt.conclusion.how}: ${attempt.user.ptnCd} signed in after the token request alone`,
      fix: 'Send the acs_token of the token response to {auth_url}/process/authenticate, and sign the user in only after that response: the token response alone proves nothing about the passcode.',
      evidence: token.at(-1)?.exchange,
    });
  },
};

function failWithoutToken(attempt: Attempt): never {
  const { calls, conclusion } = attempt;
  const [authenticate] = callsTo(attempt, 'authenticate');
  if (authenticate !== undefined) {
    fail({
      expected: 'POST {auth_url}/process/token before the authenticate request',
      observed: `an authenticate request alone (${conclusion.how})`,
      fix: 'Send the ptn_token of this sign-in to {auth_url}/process/token first, and authenticate with the acs_token of its response.',
      evidence: authenticate.exchange,
    });
  }
  if (calls.length > 0)
    untested('No request came to either path; signin/path reports where they went.');
  return fail({
    expected: 'POST {auth_url}/process/token',
    observed: `no request to the emulated service (${conclusion.how})`,
    diagnosis: conclusion.diagnosis,
    fix: 'Check that the application uses the {auth_url} of the emulated service, and the ptn_token that it is given.',
    evidence: conclusion.exchange,
  });
}
