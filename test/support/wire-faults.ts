import type { Diagnosis } from '../../src/errors.ts';
import type { Line } from './fault-server.ts';

/** Waits for the request, then sends what is there, then ends or cuts the connection. */
export function after(text: string, end?: 'end' | 'reset'): (line: Line) => Promise<void> {
  return async (line) => {
    await line.request();
    line.send(text);
    if (end === 'end') line.socket.end();
    if (end === 'reset') setTimeout(() => line.socket.resetAndDestroy(), 20);
  };
}

/** Long enough for what comes before the peer falls silent, on a busy machine too. */
const brief = { timeoutMs: 1000 };

const ok = 'HTTP/1.1 200 OK\r\n';
const whole = 'content-length: 0\r\n\r\n';

async function drip(line: Line): Promise<void> {
  await line.request();
  line.send(`${ok}content-length: 1000\r\n\r\n`);
  const timer = setInterval(() => line.send('x'), 10);
  line.socket.on('close', () => clearInterval(timer));
}

type Row = readonly [
  name: string,
  serve: (line: Line) => unknown,
  code: Diagnosis['code'],
  message: RegExp,
  /** Where the head of a response had come. */
  status?: number,
];

/** What a peer does wrong on the wire, and the diagnosis that it gets. */
const rows: readonly Row[] = [
  ['closed as soon as connected', ({ socket }) => socket.destroy(), 'reset', /without a response/],
  [
    'reset as soon as connected',
    ({ socket }) => socket.resetAndDestroy(),
    'reset',
    /closed by the/,
  ],
  ['closed after the request', after('', 'end'), 'reset', /without a response/],
  ['reset after the request', after('', 'reset'), 'reset', /without a response \(ECONNRESET\)/],
  [
    'a body shorter than its Content-Length',
    after(`${ok}content-length: 100\r\n\r\n{"code":`, 'end'),
    'reset',
    /in the middle of the response: 8 of the 100 bytes/,
    200,
  ],
  [
    'the same, and the connection to be closed',
    after(`${ok}connection: close\r\ncontent-length: 9\r\n\r\n{}`, 'end'),
    'reset',
    /in the middle of the response: 2 of the 9 bytes/,
    200,
  ],
  [
    'a reset within the body',
    after('HTTP/1.1 500 Oops\r\ncontent-length: 9\r\n\r\n{}', 'reset'),
    'reset',
    /in the middle of the response \(ECONNRESET\): 2 of the 9 bytes/,
    500,
  ],
  [
    'chunks without an end',
    after(`${ok}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`, 'end'),
    'reset',
    /in the middle of the response: 2 bytes/,
    200,
  ],
  ['no response', after(''), 'timeout', /within 1 s: the response headers had not arrived/],
  ['a body that drips', drip, 'timeout', /was not complete \(\d+ of the 1000 bytes/, 200],
  [
    'another protocol',
    (line) => line.send('SSH-2.0-OpenSSH_9.6\r\n'),
    'protocol-error',
    /is not HTTP\/1\.1 \(Expected HTTP\/.*; it stopped at "SSH-2\.0-OpenSSH_9\.6\\r\\n"\)/,
  ],
  ['a broken status line', after('HTTP/1.1 abc OK\r\n\r\n'), 'protocol-error', /\(Invalid status/],
  [
    'a control in a header',
    after(`${ok}x: \u007f\r\n${whole}`),
    'protocol-error',
    /\(Invalid header/,
  ],
  [
    'a broken chunk',
    after(`${ok}transfer-encoding: chunked\r\n\r\nzz\r\n`),
    'protocol-error',
    /is not HTTP\/1\.1/,
    200,
  ],
  [
    'control characters',
    after('\u001b[2J\u001b]0;owned\u0007 \r\n'),
    'protocol-error',
    /^\P{Cc}*$/u,
  ],
  [
    'a header of 64 KiB',
    after(`${ok}x: ${'a'.repeat(65536)}\r\n${whole}`),
    'protocol-error',
    /response headers of localhost:\d+ are larger than 16 KiB/,
  ],
  [
    'an unasked switch of protocols',
    after('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    'protocol-error',
    /is not HTTP\/1\.1/,
  ],
];

export const wireFaults = rows.map(([name, serve, code, message, status]) => ({
  name,
  serve: async (line: Line) => void (await serve(line)),
  code,
  message,
  status,
  options: code === 'timeout' ? brief : undefined,
}));
