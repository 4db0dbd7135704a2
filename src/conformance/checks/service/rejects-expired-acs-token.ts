import type { TokenOutcome } from '../../../client/signin.ts';
import { parseExpireDt, toInstant } from '../../../protocol/expiry.ts';
import { control, expectAccepted, skip } from '../../expect.ts';
import { acsTokenIn, type ServiceCheckDefinition, type ServiceContext } from '../../service.ts';
import { respondedAt } from './expire-dt.ts';

const advice = {
  risk: 'A token that was copied is then good for ever.',
  fix: 'Check the stored expiry of the token at each authenticate request. Check also that this run uses the time zone of expire_dt.',
  harm: 'lets-in',
} as const;

/** expire_dt and the Date header both drop parts of a second. */
const marginMs = 1500;

export const rejectsExpiredAcsToken: ServiceCheckDefinition = {
  id: 'service/rejects-expired-acs-token',
  title: 'must reject an acs_token after its expire_dt',
  section: '2.1',
  sentence: 'expire_dt: Access token expiry.',
  stage: 'wrong-requests',
  needs: ['service/token-works', 'service/expire-dt'],
  run: async (context) => {
    const token = await context.requestToken(await context.ptnToken());
    await control(async () => expectAccepted(token, 'a token request'));
    const right = context.authenticateRequest(acsTokenIn(token));
    await context.service.pause(waitFor(token, context));
    await context.expectRefused('acs-token-expired', right, advice);
  },
};

/** Milliseconds until the token has expired; skips if that is too long. */
function waitFor(token: TokenOutcome, { service }: ServiceContext): number {
  const { timeZone, longestWaitMs } = service;
  if (timeZone === undefined) skip('The time zone of expire_dt is not known.');
  const value = parseExpireDt(token.reading?.seen.expireDt ?? '');
  if (value === undefined) return skip('The response contained no valid expire_dt.');
  const expiry = toInstant(value, timeZone ?? 'UTC').getTime();
  const lifetime = expiry - respondedAt(token);
  if (lifetime < -marginMs) {
    skip(
      'In the given time zone, expire_dt had passed before the acs_token arrived: the time zone, expire_dt or a clock is wrong.',
    );
  }
  const wait = Math.max(0, lifetime) + marginMs;
  if (wait <= longestWaitMs) return wait;
  const seconds = (durationMs: number) => `${Math.ceil(durationMs / 1000)} s`;
  return skip(
    `The acs_token expires in ${seconds(wait)}, and this run waits ${seconds(longestWaitMs)} at most.`,
  );
}
