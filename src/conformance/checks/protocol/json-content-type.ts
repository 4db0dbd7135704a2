import { headerOf } from '../../../client/exchange.ts';
import { diagnoseContentType } from '../../../diagnosis/response.ts';
import { isJsonContentType } from '../../../protocol/endpoints.ts';
import { type CheckDefinition, reviewing } from '../../check.ts';
import { failWith } from '../../expect.ts';

export const jsonContentType: CheckDefinition = {
  id: 'protocol/json-content-type',
  title: 'should respond with Content-Type application/json',
  section: '4',
  sentence: 'All bodies are JSON.',
  ...reviewing(({ exchanges }) => {
    for (const { exchange, outcome } of exchanges) {
      if (exchange.response === undefined || outcome.reading?.json === undefined) continue;
      const type = headerOf(exchange.response.headers, 'content-type');
      if (isJsonContentType(type)) continue;
      const expected = 'the Content-Type application/json';
      failWith(diagnoseContentType(type), expected, type ?? 'none', exchange);
    }
  }),
};
