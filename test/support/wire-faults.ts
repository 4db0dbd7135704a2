import type { Diagnosis } from '../../src/errors.ts';
import type { TestOptions } from './client.ts';
import type { Line } from './fault-server.ts';

/** What a peer does wrong on the wire, and the diagnosis that it gets. */
export interface WireFault {
  readonly name: string;
  readonly serve: (line: Line) => void | Promise<void>;
  readonly code: Diagnosis['code'];
  readonly message: RegExp;
  readonly options?: TestOptions;
  /** Whether the head of a response had come. */
  readonly status?: number;
}

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

export const wireFaults: readonly WireFault[] = [
  {
    name: 'closed as soon as connected',
    serve: (line) => void line.socket.destroy(),
    code: 'reset',
    message: /closed by the other side without a response/,
  },
  {
    name: 'reset as soon as connected',
    serve: (line) => void line.socket.resetAndDestroy(),
    code: 'reset',
    message: /closed by the other side/,
  },
  {
    name: 'closed after the request',
    serve: after('', 'end'),
    code: 'reset',
    message: /without a response/,
  },
  {
    name: 'reset after the request',
    serve: after('', 'reset'),
    code: 'reset',
    message: /without a response \(ECONNRESET\)/,
  },
  {
    name: 'a body shorter than its Content-Length',
    serve: after('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"code":', 'end'),
    code: 'reset',
    message: /in the middle of the response: 8 of the 100 bytes/,
    status: 200,
  },
  {
    name: 'a body shorter than its Content-Length, and the connection to be closed',
    serve: after('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 9\r\n\r\n{}', 'end'),
    code: 'reset',
    message: /in the middle of the response: 2 of the 9 bytes/,
    status: 200,
  },
  {
    name: 'a reset within the body',
    serve: after('HTTP/1.1 500 Oops\r\ncontent-length: 9\r\n\r\n{}', 'reset'),
    code: 'reset',
    message: /in the middle of the response \(ECONNRESET\): 2 of the 9 bytes/,
    status: 500,
  },
  {
    name: 'chunks without an end',
    serve: after('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n', 'end'),
    code: 'reset',
    message: /in the middle of the response: 2 bytes/,
    status: 200,
  },
  {
    name: 'no response',
    serve: after(''),
    code: 'timeout',
    message: /within 1 s: the response headers had not arrived/,
    options: brief,
  },
  {
    name: 'a body that drips',
    serve: async (line) => {
      await line.request();
      line.send('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      const timer = setInterval(() => line.send('x'), 10);
      line.socket.on('close', () => clearInterval(timer));
    },
    code: 'timeout',
    message: /the body of the response was not complete \(\d+ of the 1000 bytes/,
    options: brief,
    status: 200,
  },
  {
    name: 'another protocol',
    serve: (line) => line.send('SSH-2.0-OpenSSH_9.6\r\n'),
    code: 'protocol-error',
    message: /is not HTTP\/1\.1 \(Expected HTTP\/.*; it stopped at "SSH-2\.0-OpenSSH_9\.6\\r\\n"\)/,
  },
  {
    name: 'a broken status line',
    serve: after('HTTP/1.1 abc OK\r\n\r\n'),
    code: 'protocol-error',
    message: /is not HTTP\/1\.1 \(Invalid status code/,
  },
  {
    name: 'a control character in a header',
    serve: after('HTTP/1.1 200 OK\r\nx: \u007f\r\ncontent-length: 0\r\n\r\n'),
    code: 'protocol-error',
    message: /is not HTTP\/1\.1 \(Invalid header/,
  },
  {
    name: 'a broken chunk',
    serve: after('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
    code: 'protocol-error',
    message: /is not HTTP\/1\.1/,
    status: 200,
  },
  {
    name: 'control characters',
    serve: after('\u001b[2J\u001b]0;owned\u0007 \r\n'),
    code: 'protocol-error',
    message: /^\P{Cc}*$/u,
  },
  {
    name: 'a header of 64 KiB',
    serve: after(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(65536)}\r\ncontent-length: 0\r\n\r\n`),
    code: 'protocol-error',
    message: /response headers of localhost:\d+ are larger than 16 KiB/,
  },
  {
    name: 'an unasked switch of protocols',
    serve: after('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    code: 'protocol-error',
    message: /is not HTTP\/1\.1/,
  },
];
