import { diagnosis } from '../../../diagnosis/catalogue-entry.ts';
import type { Check } from '../../check.ts';
import { failWith } from '../../expect.ts';

const longestMs = 3000;

export const responseTime: Check = {
  id: 'protocol/response-time',
  title: 'No answer takes longer than 3 s',
  section: '6',
  sentence: 'Not shown: retries, time-outs and delivery guarantees of callbacks.',
  level: 'should',
  polarity: 'positive',
  stage: 'review',
  needs: ['key-exchange/answers-success'],
  run: async ({ record }) => {
    // A server that takes one request at a time is not slow because several waited for it.
    const measured = record.exchanges.filter(({ alone }) => alone);
    const times = measured.map(({ exchange }) => exchange.durationMs);
    const longest = Math.max(0, ...times);
    const slow = measured.find(({ exchange }) => exchange.durationMs === longest);
    if (slow === undefined || longest <= longestMs) return undefined;
    const seconds = (longest / 1000).toFixed(1);
    const message = `The slowest answer took ${seconds} s; a service that waits 3 s would have given up.`;
    const hint =
      'Answer first and do the rest later; look at what the handler waits for (a connection pool, a slow random source, another service).';
    return failWith(
      diagnosis('timeout', message, hint),
      'every answer within 3 s',
      `${seconds} s`,
      slow.exchange,
    );
  },
};
