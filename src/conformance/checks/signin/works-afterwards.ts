import { statusOf } from '../../../client/exchange.ts';
import { skip } from '../../expect.ts';
import type { SigninCheck } from '../../signin-check.ts';
import { expectSignedIn } from '../../signin-expect.ts';

export const worksAfterwards: SigninCheck = {
  id: 'signin/works-afterwards',
  title: 'After sign-ins that were refused, a right one is accepted',
  section: '4.2',
  sentence: 'Not shown: what an application does after a sign-in that failed.',
  level: 'should',
  polarity: 'positive',
  stage: 'aftermath',
  needs: ['signin/accepts-right-sign-in'],
  run: async (context) => {
    const attempt = await context.signIn('right');
    const { verdict, how, exchange } = attempt.conclusion;
    const isAnswered = exchange !== undefined && (statusOf(exchange) ?? 500) < 500;
    if (verdict === 'refused' && (isAnswered || context.world.users === 'given')) {
      skip(`The sign-in was refused (${how}): it may be locked after so many that failed.`);
    }
    expectSignedIn(
      attempt,
      'Look at how the application ended the sign-ins before: an exception that nobody catches may have ended the server, or a connection or lock was never given back.',
    );
    return undefined;
  },
};
