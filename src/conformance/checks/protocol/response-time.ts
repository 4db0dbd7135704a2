import { hasResponse } from '../../../client/exchange.ts';
import { diagnosis } from '../../../diagnosis/diagnosis.ts';
import { type CheckDefinition, reviewing } from '../../check.ts';
import { failWith } from '../../expect.ts';

const longestMs = 3000;
const hint =
  'Respond first and do the rest later; check what the handler waits for (a connection pool, a slow random source, another service).';

export const responseTime: CheckDefinition = {
  id: 'protocol/response-time',
  title: 'should respond within 3 s',
  section: '6',
  sentence: 'Not shown: retries, time-outs and delivery guarantees of callbacks.',
  ...reviewing(({ exchanges }) => {
    // An application that responds to nothing from then on is not slow: other checks report that.
    const end = exchanges.findLastIndex(({ exchange }) => hasResponse(exchange)) + 1;
    // A server that takes one request at a time is not slow because several waited for it.
    const measured = exchanges.slice(0, end).filter(({ alone }) => alone);
    const longest = Math.max(0, ...measured.map(({ exchange }) => exchange.durationMs));
    if (longest <= longestMs) return;
    const seconds = `${(longest / 1000).toFixed(1)} s`;
    const slow = measured.find(({ exchange }) => exchange.durationMs === longest);
    const message = `The slowest response took ${seconds}; a service that waits 3 s would have given up.`;
    failWith(
      diagnosis('timeout', message, hint),
      'every response within 3 s',
      seconds,
      slow?.exchange,
    );
  }),
};
