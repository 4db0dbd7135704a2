import { headerOf } from '../../../client/exchange.ts';
import type { TokenOutcome } from '../../../client/signin.ts';
import { diagnoseResponse } from '../../../diagnosis/response.ts';
import { expireDtFormat, parseExpireDt, toInstant } from '../../../protocol/expiry.ts';
import { excerptOf } from '../../../text.ts';
import { failWith, skip } from '../../expect.ts';
import type { ServiceCheckDefinition } from '../../service.ts';

const hourMs = 3_600_000;

export const expireDt: ServiceCheckDefinition = {
  id: 'service/expire-dt',
  title: 'must give expire_dt as a date and time in the form yyyyMMddHH24miss',
  section: '4.2.1',
  sentence: 'result.expire_dt: Expiry, yyyyMMddHH24miss.',
  needs: ['service/issues-token'],
  run: async (context) => {
    const outcome = context.tokenOutcome();
    const text = outcome.reading?.seen.expireDt ?? skip('The response contained no expire_dt.');
    const value = parseExpireDt(text);
    if (value !== undefined) {
      const isOver = toInstant(value, 'UTC').getTime() < answeredAt(outcome) - 12 * hourMs;
      return { notes: isOver ? ['expire_dt is over already, whatever its time zone is.'] : [] };
    }
    const observed = /^\d{14}$/.test(text)
      ? '14 digits that are not a date'
      : `"${excerptOf(text, 40)}"`;
    const field = 'result.expire_dt';
    const status = outcome.exchange.answer?.status ?? 200;
    const problem = { kind: 'field-malformed', field, expected: expireDtFormat, observed } as const;
    return failWith(
      diagnoseResponse(problem, { status }),
      `expire_dt as ${expireDtFormat}`,
      observed,
      outcome.exchange,
    );
  },
};

/** By the clock of the service where it tells it; milliseconds since the epoch. */
export function answeredAt({ exchange }: TokenOutcome): number {
  const told = Date.parse(headerOf(exchange.answer?.headers ?? [], 'date') ?? '');
  return Number.isNaN(told) ? exchange.startedAt : told;
}
