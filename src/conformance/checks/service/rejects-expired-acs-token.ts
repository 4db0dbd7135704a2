import type { TokenOutcome } from '../../../client/signin.ts';
import { parseExpireDt, toInstant } from '../../../protocol/expiry.ts';
import { control, expectAccepted, skip } from '../../expect.ts';
import type { ServiceCheck } from '../../service-check.ts';
import { acsTokenIn, type ServiceContext } from '../../service-context.ts';
import { expectSignInRefused, sendSpoilt } from '../../sign-in-refusals.ts';
import { answeredAt } from './expire-dt.ts';

const mend =
  'Compare the expiry that is stored with the token at each authenticate request. Look also whether the time zone that this run was given is that of expire_dt.';

/** expire_dt and the Date header both drop parts of a second. */
const marginMs = 1500;

export const rejectsExpiredAcsToken: ServiceCheck = {
  id: 'service/rejects-expired-acs-token',
  title: 'An acs_token is refused after its expire_dt',
  section: '2.1',
  sentence: 'expire_dt: Access token expiry.',
  level: 'must',
  polarity: 'negative',
  stage: 'wrong-requests',
  needs: ['service/token-works', 'service/expire-dt'],
  run: async (context) => {
    const token = await context.requestToken(await context.ptnToken());
    await control(async () => expectAccepted(token, 'a token request'));
    const right = context.authenticateRequest(acsTokenIn(token));
    await context.service.pause(waitFor(token, context));
    const { outcome, about } = await sendSpoilt(context, 'acs-token-expired', right);
    expectSignInRefused(outcome, about, mend);
    return undefined;
  },
};

/** How long to wait until the token is no longer good, in milliseconds; skips where that is too long. */
function waitFor(token: TokenOutcome, { service }: ServiceContext): number {
  const { timeZone, longestWaitMs } = service;
  if (timeZone === undefined) skip('The time zone of expire_dt is not known.');
  const value = parseExpireDt(token.reading?.seen.expireDt ?? '');
  if (value === undefined) return skip('No expire_dt that is a date came with the answer.');
  const expiry = toInstant(value, timeZone ?? 'UTC').getTime();
  const lifetime = expiry - answeredAt(token);
  if (lifetime < -marginMs) {
    skip(
      'In the time zone given, expire_dt was over before the acs_token came: one of the two, or a clock, is wrong.',
    );
  }
  const wait = Math.max(0, lifetime) + marginMs;
  if (wait <= longestWaitMs) return wait;
  const seconds = (durationMs: number) => `${Math.ceil(durationMs / 1000)} s`;
  return skip(
    `It takes ${seconds(wait)} until the acs_token has expired, and this run waits no longer than ${seconds(longestWaitMs)}.`,
  );
}
