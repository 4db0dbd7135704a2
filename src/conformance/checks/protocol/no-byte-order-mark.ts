import { diagnoseResponse } from '../../../diagnosis/response.ts';
import { type CheckDefinition, reviewing } from '../../check.ts';
import { failWith } from '../../expect.ts';

export const noByteOrderMark: CheckDefinition = {
  id: 'protocol/no-byte-order-mark',
  title: 'should respond with JSON without a byte order mark',
  section: '4',
  sentence: 'All bodies are JSON.',
  ...reviewing(({ exchanges }) => {
    const marked = exchanges.find(({ outcome }) => outcome.reading?.byteOrderMark);
    if (marked?.exchange.response === undefined) return;
    const diagnosis = diagnoseResponse(
      { kind: 'byte-order-mark' },
      { status: marked.exchange.response.status },
    );
    const expected = 'JSON from the first byte (RFC 8259 section 8.1)';
    failWith(diagnosis, expected, 'EF BB BF before it', marked.exchange);
  }),
};
