import { statusOf } from '../../../client/exchange.ts';
import { skip } from '../../expect.ts';
import type { SigninCheckDefinition } from '../../signin-check.ts';
import { expectSignedIn } from '../../signin-expect.ts';

export const worksAfterwards: SigninCheckDefinition = {
  id: 'signin/works-afterwards',
  title: 'should accept a correct sign-in after rejected ones',
  section: '4.2',
  sentence: 'Not shown: what an application does after a sign-in that failed.',
  level: 'should',
  stage: 'aftermath',
  needs: ['signin/accepts-right-sign-in'],
  run: async (context) => {
    const { users } = context.environment;
    // The outages of the run hit the first user, whom they must not have locked out.
    const attempt = await context.signIn('right', { user: await context.firstUser() });
    const { verdict, how, exchange } = attempt.conclusion;
    const responds = exchange !== undefined && (statusOf(exchange) ?? 500) < 500;
    if (verdict === 'refused' && (responds || users === 'given')) {
      skip(
        `The sign-in was refused (${how}): ${attempt.user.ptnCd} may be locked out after several failures.`,
      );
    }
    expectSignedIn(
      attempt,
      'Check how the application handled the rejected sign-ins: an uncaught exception may have ended the server, or a connection or lock was never released.',
    );
  },
};
