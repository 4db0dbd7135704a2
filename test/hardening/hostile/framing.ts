import { gzipSync } from 'node:zlib';
import { accepted, type HostileResponse, lost, raw, repeat, wrong } from './response.ts';

const reset = lost('reset');
const broken = lost('protocol-error');
const timeout = lost('timeout');
const tooLarge = wrong('body-too-large');
const notJson = wrong('not-json');

const ok = (headers: string, body = ''): string => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`;
const chunked = 'transfer-encoding: chunked';
const lengthOf = (right: string) => `content-length: ${right.length}`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Content-Length and Transfer-Encoding that contradict the body, each other, or the grammar. */
export const framing: readonly HostileResponse[] = [
  raw('a length that is too short', notJson, (right) =>
    ok(`content-length: ${right.length - 5}`, right),
  ),
  raw(
    'a length that is too short, and the end',
    notJson,
    (right) => ok(`content-length: ${right.length - 5}`, right),
    'end',
  ),
  raw(
    'a length that is too long, and the end',
    reset,
    (right) => ok(`content-length: ${right.length + 5}`, right),
    'end',
  ),
  {
    ...raw('a length that is too long, and silence', timeout, (right) =>
      ok(`content-length: ${right.length + 5}`, right),
    ),
    endless: true,
  },
  ...[
    '-1',
    '+5',
    '0x10',
    '5,5',
    '5 5',
    '1e3',
    '',
    '５',
    `${'9'.repeat(30)}`,
    '18446744073709551616',
  ].map((length) =>
    raw(`the length "${length}"`, broken, (right) => ok(`content-length: ${length}`, right)),
  ),
  raw('a length of 2^53', tooLarge, (right) => ok('content-length: 9007199254740992', right)),
  raw('a length of a gigabyte', tooLarge, (right) => ok('content-length: 1073741824', right)),
  raw('two lengths that differ', broken, (right) =>
    ok(`${lengthOf(right)}\r\ncontent-length: 5`, right),
  ),
  raw('two lengths that agree', broken, (right) =>
    ok(`${lengthOf(right)}\r\n${lengthOf(right)}`, right),
  ),
  raw('a length and chunks', broken, (right) =>
    ok(`${lengthOf(right)}\r\n${chunked}`, `${chunk(right)}0\r\n\r\n`),
  ),
  raw('chunks and a length', broken, (right) =>
    ok(`${chunked}\r\n${lengthOf(right)}`, `${chunk(right)}0\r\n\r\n`),
  ),
  raw('no length, ended', accepted, (right) => ok('x: y', right), 'end'),
  raw('no length, reset', reset, (right) => ok('x: y', right), 'reset'),
  { ...raw('no length, and silence', timeout, (right) => ok('x: y', right)), endless: true },
  raw('chunks of one byte', accepted, (right) =>
    ok(chunked, `${[...right].map(chunk).join('')}0\r\n\r\n`),
  ),
  raw('chunks with extensions', accepted, (right) =>
    ok(chunked, `${right.length.toString(16)};a=b;c\r\n${right}\r\n0\r\n\r\n`),
  ),
  raw('chunk sizes with leading zeros', accepted, (right) =>
    ok(chunked, `000000${chunk(right)}0\r\n\r\n`),
  ),
  ...['zz', '-5', '0x5', '5 5', '', 'g', 'FFFFFFFFFFFFFFFFF'].map((size) =>
    raw(`the chunk size "${size}"`, broken, (right) =>
      ok(chunked, `${size}\r\n${right}\r\n0\r\n\r\n`),
    ),
  ),
  raw('a chunk longer than its size', broken, (right) => ok(chunked, `5\r\n${right}\r\n0\r\n\r\n`)),
  raw('chunks cut short', reset, (right) => ok(chunked, chunk(right)), 'end'),
  raw('chunks reset', reset, (right) => ok(chunked, chunk(right)), 'reset'),
  { ...raw('chunks without an end', timeout, (right) => ok(chunked, chunk(right))), endless: true },
  raw('a chunk that never comes', reset, ok(chunked, 'fffffff\r\n'), 'end'),
  raw('trailers', accepted, (right) => ok(chunked, `${chunk(right)}0\r\nx-trailer: y\r\n\r\n`)),
  raw('trailers of 64 KB', broken, (right) =>
    ok(chunked, `${chunk(right)}0\r\nx: ${'y'.repeat(65536)}\r\n\r\n`),
  ),
  raw('a trailer that is a length', broken, (right) =>
    ok(chunked, `${chunk(right)}0\r\ncontent-length: 5\r\n\r\n`),
  ),
  raw(
    'the coding gzip for the transfer',
    notJson,
    (right) => Buffer.concat([Buffer.from(ok('transfer-encoding: gzip')), gzipSync(right)]),
    'end',
  ),
  raw(
    'the coding identity for the transfer',
    accepted,
    (right) => ok('transfer-encoding: identity', right),
    'end',
  ),
  raw('chunked twice', accepted, (right) =>
    ok(`${chunked}\r\n${chunked}`, `${chunk(right)}0\r\n\r\n`),
  ),
  raw(
    'a second response behind the first',
    accepted,
    (right) => `${ok(lengthOf(right), right)}${ok('content-length: 2', '{}')}`,
  ),
  {
    name: 'a body without end',
    ending: tooLarge,
    serve: (line) => {
      line.send(ok('x: y', '{"code":"'));
      repeat(line, 'x'.repeat(65536));
    },
  },
  {
    name: 'chunks without end',
    ending: tooLarge,
    serve: (line) => {
      line.send(ok(chunked));
      repeat(line, chunk('x'.repeat(65536)));
    },
  },
  {
    name: 'chunks of one byte without end',
    ending: tooLarge,
    serve: (line) => {
      line.send(ok(chunked));
      repeat(line, chunk('x').repeat(4096));
    },
  },
  {
    name: 'an extension of a chunk without end',
    ending: broken,
    serve: (line) => {
      line.send(ok(chunked, '5;'));
      repeat(line, 'x'.repeat(65536));
    },
  },
  {
    name: 'trailers without end',
    ending: broken,
    serve: (line) => {
      line.send(ok(chunked, '0\r\n'));
      repeat(line, 'x: y\r\n'.repeat(4096));
    },
  },
];
