import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { AnswerHeads } from '../../src/client/answer-head.ts';
import { AnswerParser } from '../../src/client/answer-parser.ts';
import { WireFailure } from '../../src/client/progress.ts';

const limit = 1 << 20;

/** Hands the bytes over in pieces of one buffer that each piece overwrites, as a socket's reads do. */
function parseInPieces(bytes: Buffer, cuts: readonly number[], heads = new AnswerHeads()) {
  const parser = new AnswerParser(limit, heads);
  const buffer = Buffer.allocUnsafeSlow(bytes.length);
  const ends = [...cuts, bytes.length].sort((one, other) => one - other);
  let complete = false;
  let at = 0;
  for (const end of ends) {
    buffer.fill(0x58);
    const size = bytes.copy(buffer, 0, at, end);
    if (size > 0) complete = parser.feed(buffer.subarray(0, size));
    at = end;
  }
  const { status, lines } = parser.head ?? {};
  return { complete, status, lines, body: parser.body.toString(), keeps: parser.keepsAlive };
}

function answerOf(body: string, coding: 'length' | 'chunked', field: string): Buffer {
  const head = (line: string) => `HTTP/1.1 200 OK\r\nx-field: ${field}\r\n${line}\r\n\r\n`;
  const size = Buffer.byteLength(body);
  if (coding === 'length') return Buffer.from(head(`content-length: ${size}`) + body);
  const chunk = size === 0 ? '' : `${size.toString(16)}\r\n${body}\r\n`;
  return Buffer.from(`${head('transfer-encoding: chunked')}${chunk}0\r\n\r\n`);
}

const answers = fc.record({
  body: fc.string({ unit: 'grapheme', maxLength: 300 }),
  coding: fc.constantFrom('length' as const, 'chunked' as const),
  field: fc.stringMatching(/^[a-z]{0,3}$/),
  cuts: fc.array(fc.nat(400), { maxLength: 6 }),
});

describe('an answer read in pieces', () => {
  it('is the same wherever it is cut, in memory that is overwritten', () => {
    fc.assert(
      fc.property(answers, ({ body, coding, field, cuts }) => {
        const bytes = answerOf(body, coding, field);
        const inside = cuts.filter((cut) => cut < bytes.length);
        const read = parseInPieces(bytes, inside);
        assert.deepEqual(read, parseInPieces(bytes, []));
        assert.deepEqual(
          { ...read, lines: undefined },
          { complete: true, status: 200, lines: undefined, body, keeps: true },
        );
      }),
      { numRuns: 500 },
    );
  });

  it('is read alike by a reader that has seen such heads and by one that has not', () => {
    fc.assert(
      fc.property(fc.array(answers, { minLength: 2, maxLength: 12 }), (several) => {
        const heads = new AnswerHeads();
        for (const { body, coding, field, cuts } of several) {
          const bytes = answerOf(body, coding, field);
          const inside = cuts.filter((cut) => cut < bytes.length);
          assert.deepEqual(parseInPieces(bytes, inside, heads), parseInPieces(bytes, inside));
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('an answer that goes on and on', () => {
  it('is given up where it does not become longer', () => {
    const interim = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2000));
    const parser = new AnswerParser(limit, new AnswerHeads());
    const pour = () => {
      for (let turn = 0; turn < 1000; turn += 1) parser.feed(interim);
    };
    assert.throws(pour, { name: 'WireFailure', facts: { isEndless: true } });
  });

  it('is read to its end in chunks of one byte', () => {
    const parser = new AnswerParser(limit, new AnswerHeads());
    parser.feed(Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'));
    const chunks = Buffer.from('1\r\na\r\n1\r\nb\r\n'.repeat(1000));
    for (let turn = 0; turn < 100; turn += 1) assert.equal(parser.feed(chunks), false);
    assert.equal(parser.feed(Buffer.from('0\r\n\r\n')), true);
    assert.equal(parser.body.toString(), 'ab'.repeat(100_000));
  });
});

describe('fields behind the last chunk', () => {
  const parse = (trailers: string) =>
    parseInPieces(
      Buffer.from(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n${trailers}\r\n`),
      [],
    );

  it('are read over', () => {
    assert.equal(parse('x-digest: abc\r\nx-other:\r\n').complete, true);
  });

  for (const [name, trailers] of Object.entries({
    'a length': 'content-length: 5\r\n',
    'a transfer coding': 'Transfer-Encoding: chunked\r\n',
    'a line that is no field': 'nonsense\r\n',
    'more than a head may have': `x: ${'y'.repeat(65_536)}\r\n`,
  })) {
    it(`are refused: ${name}`, () => {
      assert.throws(() => parse(trailers), WireFailure);
    });
  }
});

describe('a head', () => {
  const parse = (head: string) => {
    const parser = new AnswerParser(limit, new AnswerHeads());
    parser.feed(Buffer.from(`${head}\r\n\r\n`, 'latin1'));
    return parser;
  };

  for (const [name, head] of Object.entries({
    'with two lengths that agree': 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\ncontent-length: 0',
    'with two lengths that differ': 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\nContent-Length: 5',
    'with a length and a transfer coding':
      'HTTP/1.1 200 OK\r\ncontent-length: 0\r\ntransfer-encoding: chunked',
    'with a length of 2^64': 'HTTP/1.1 200 OK\r\ncontent-length: 18446744073709551616',
    'with a length in hexadecimal': 'HTTP/1.1 200 OK\r\ncontent-length: 0x5',
    'of a version that there is not': 'HTTP/9.9 200 OK',
    'that asks to go on': 'HTTP/1.1 100 Continue',
    'of an upgrade': 'HTTP/1.1 101 Switching Protocols',
    'with LF alone as line ends': 'HTTP/1.1 200 OK\ncontent-length: 0\n\n',
    'with a name that is no token': 'HTTP/1.1 200 OK\r\na b: c',
  })) {
    it(`is refused: ${name}`, () => {
      assert.throws(() => parse(head), WireFailure);
    });
  }

  for (const [name, head] of Object.entries({
    'with a NUL in the reason': 'HTTP/1.1 200 O\0K\r\ncontent-length: 0',
    'of HTTP/2.0': 'HTTP/2.0 200 OK\r\ncontent-length: 0',
    'of RTSP': 'RTSP/1.0 200 OK\r\ncontent-length: 0',
  })) {
    it(`is taken as undici takes it: ${name}`, () => {
      assert.equal(parse(head).head?.status, 200);
    });
  }

  it('with a length beyond the limit ends the answer at once', () => {
    assert.equal(parse('HTTP/1.1 200 OK\r\ncontent-length: 9007199254740992').tooLarge, true);
  });

  it('with a chunk beyond the limit does so when more has come than is read', () => {
    const parser = parse('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked');
    assert.equal(parser.feed(Buffer.from('fffffff\r\n')), false);
    assert.equal(parser.feed(Buffer.alloc(limit)), false);
    assert.equal(parser.feed(Buffer.alloc(1)), true);
    assert.equal(parser.tooLarge, true);
  });
});
