import type { ServiceCheckDefinition } from '../../service.ts';
import { judgeResponseTimes } from '../protocol/response-time.ts';

export const responseTime: ServiceCheckDefinition = {
  id: 'service/response-time',
  title: 'should respond within 3 s',
  section: '8',
  sentence: 'Limits: not shown (rate limits, size limits, access-token lifetime).',
  level: 'should',
  stage: 'review',
  needs: ['service/issues-token'],
  // A service of one thread keeps requests at the same time waiting.
  run: async ({ base }) =>
    judgeResponseTimes(
      base.record.exchanges.filter(({ alone }) => alone).map(({ exchange }) => exchange),
      'each sign-in waits for two responses',
      'Check what the handlers wait for: a connection pool, another service, a lock.',
    ),
};
