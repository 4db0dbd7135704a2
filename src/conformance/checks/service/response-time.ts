import { diagnosis } from '../../../diagnosis/catalogue-entry.ts';
import { failWith } from '../../expect.ts';
import type { ServiceCheck } from '../../service-check.ts';

const longestMs = 3000;

export const responseTime: ServiceCheck = {
  id: 'service/response-time',
  title: 'No answer takes longer than 3 s',
  section: '8',
  sentence: 'Limits: not shown (rate limits, size limits, access-token lifetime).',
  level: 'should',
  polarity: 'positive',
  stage: 'review',
  needs: ['service/issues-token'],
  run: async ({ base }) => {
    const exchanges = base.record.exchanges.map(({ exchange }) => exchange);
    const longest = Math.max(0, ...exchanges.map(({ durationMs }) => durationMs));
    if (longest <= longestMs) return undefined;
    const seconds = `${(longest / 1000).toFixed(1)} s`;
    const message = `The slowest answer took ${seconds}; a user waits for two of them at each sign-in.`;
    const hint = 'Look what the handlers wait for: a connection pool, another service, a lock.';
    const slow = exchanges.find(({ durationMs }) => durationMs === longest);
    return failWith(diagnosis('timeout', message, hint), 'every answer within 3 s', seconds, slow);
  },
};
