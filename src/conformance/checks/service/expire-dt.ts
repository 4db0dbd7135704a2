import { headerOf } from '../../../client/exchange.ts';
import type { TokenOutcome } from '../../../client/signin.ts';
import { diagnosis } from '../../../diagnosis/diagnosis.ts';
import { diagnoseResponse } from '../../../diagnosis/response.ts';
import { expireDtFormat, parseExpireDt, toInstant } from '../../../protocol/expiry.ts';
import { quoted } from '../../../text.ts';
import { failWith, isAccepted, skip } from '../../expect.ts';
import type { ServiceCheckDefinition } from '../../service.ts';

const hourMs = 3_600_000;

export const expireDt: ServiceCheckDefinition = {
  id: 'service/expire-dt',
  title: 'must give expire_dt as a date and time in the form yyyyMMddHH24miss',
  section: '4.2.1',
  sentence: 'result.expire_dt: Expiry, yyyyMMddHH24miss.',
  needs: ['service/issues-token'],
  review: ({ exchanges }) => {
    for (const { operation, outcome } of exchanges) {
      if (operation === 'token' && isAccepted(outcome)) judge(outcome as TokenOutcome);
    }
  },
  run: async (context) => {
    judge(context.tokenOutcome());
  },
};

function judge(outcome: TokenOutcome): void {
  const text = outcome.reading?.seen.expireDt ?? skip('The response contained no expire_dt.');
  const value = parseExpireDt(text);
  if (value !== undefined) {
    const isOver = toInstant(value, 'UTC').getTime() < respondedAt(outcome) - 12 * hourMs;
    if (isOver) failOver(outcome);
    return;
  }
  const observed = /^\d{14}$/.test(text) ? '14 digits that are not a date' : quoted(text, 40);
  const field = 'result.expire_dt';
  const status = outcome.exchange.response?.status ?? 200;
  const problem = { kind: 'field-malformed', field, expected: expireDtFormat, observed } as const;
  failWith(
    diagnoseResponse(problem, { status }),
    `expire_dt as ${expireDtFormat}`,
    observed,
    outcome.exchange,
  );
}

function failOver(outcome: TokenOutcome): never {
  const fix =
    'Add the lifetime of the token to the current time, and format that in the time zone of the service.';
  const message = 'expire_dt was over before the acs_token was issued, in every time zone.';
  return failWith(
    diagnosis('field-malformed', message, fix),
    'an expire_dt in the future',
    'one that was over in every time zone',
    outcome.exchange,
  );
}

/** By the clock of the service, from its Date header; milliseconds since the epoch. */
export function respondedAt({ exchange }: TokenOutcome): number {
  const told = Date.parse(headerOf(exchange.response?.headers ?? [], 'date') ?? '');
  return Number.isNaN(told) ? exchange.startedAt : told;
}
