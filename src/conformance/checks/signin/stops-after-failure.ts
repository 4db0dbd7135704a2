import { diagnose } from '../../../diagnosis/catalogue.ts';
import { fail } from '../../expect.ts';
import type { SigninCheckDefinition } from '../../signin-check.ts';
import { callsTo } from '../../signin-expect.ts';
import { failsAtToken } from '../../signin-scenarios.ts';

export const stopsAfterFailure: SigninCheckDefinition = {
  id: 'signin/stops-after-failure',
  title: 'must not send an authenticate request after a token request that failed',
  section: '5',
  sentence: 'POST /process/authenticate requires the acs_token obtained from /process/token.',
  stage: 'review',
  needs: ['signin/rejects-token-code'],
  run: async (context) => {
    const attempts = await context.attempts();
    // Who is signed in by it, or follows a redirect, fails a check of that.
    const wrong = attempts.find(
      (attempt) =>
        failsAtToken(attempt.scenario.name) &&
        !attempt.scenario.name.includes('-redirect-') &&
        attempt.conclusion.verdict !== 'signed-in' &&
        callsTo(attempt, 'authenticate').length > 0,
    );
    if (wrong === undefined) return;
    const [call] = callsTo(wrong, 'authenticate');
    const { when } = wrong.scenario;
    const message = `The application sent an authenticate request all the same when ${when}.`;
    fail({
      expected: 'no authenticate request after a token request that failed',
      observed: `an authenticate request when ${when}`,
      diagnosis: diagnose('goes-on-after-failure', message),
      evidence: call?.exchange,
    });
  },
};
