import { headerOf } from '../../../client/exchange.ts';
import type { TokenOutcome } from '../../../client/signin.ts';
import { diagnoseAnswer } from '../../../diagnosis/answer.ts';
import { expireDtFormat, parseExpireDt, toInstant } from '../../../protocol/expiry.ts';
import { excerptOf } from '../../../text.ts';
import { failWith, skip } from '../../expect.ts';
import type { ServiceCheck } from '../../service-check.ts';

const hourMs = 3_600_000;

export const expireDt: ServiceCheck = {
  id: 'service/expire-dt',
  title: 'expire_dt is a date and time as yyyyMMddHH24miss',
  section: '4.2.1',
  sentence: 'result.expire_dt: Expiry, yyyyMMddHH24miss.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: ['service/issues-token'],
  run: async (context) => {
    const outcome = context.tokenOutcome();
    const text = outcome.reading?.seen.expireDt ?? skip('No expire_dt came with the answer.');
    const value = parseExpireDt(text);
    if (value !== undefined) {
      const isOver = toInstant(value, 'UTC').getTime() < answeredAt(outcome) - 12 * hourMs;
      return { notes: isOver ? ['expire_dt is over already, whatever its time zone is.'] : [] };
    }
    const observed = /^\d{14}$/.test(text)
      ? '14 digits that are no date'
      : `"${excerptOf(text, 40)}"`;
    const field = 'result.expire_dt';
    const status = outcome.exchange.answer?.status ?? 200;
    const problem = { kind: 'field-malformed', field, expected: expireDtFormat, observed } as const;
    return failWith(
      diagnoseAnswer(problem, { status }),
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
