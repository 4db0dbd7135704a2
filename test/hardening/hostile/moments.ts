import { accepted, cut, type HostileResponse, lost, message, raw, repeat } from './response.ts';

const reset = lost('reset');
const timeout = lost('timeout');

const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n';

/** Bytes that come slowly, or for ever, or stop; all bounded by the time limit alone. */
const slow: readonly Pick<HostileResponse, 'name' | 'serve'>[] = [
  { name: 'silence', serve: () => {} },
  { ...raw('half a status line', timeout, 'HTTP/1.') },
  { ...raw('half a head', timeout, head) },
  { ...raw('a head and silence', timeout, `${head}\r\n`) },
  { ...raw('half a body', timeout, `${head}\r\n{"code":`) },
  {
    name: 'a status line that drips',
    serve: (line) => drip(line, 'HTTP/1.1 200 OK and more of it'),
  },
  {
    name: 'a head that drips',
    serve: (line) => {
      line.send('HTTP/1.1 200 OK\r\n');
      repeat(line, 'x: y\r\n', 20);
    },
  },
  {
    name: 'a header that drips',
    serve: (line) => {
      line.send('HTTP/1.1 200 OK\r\nx: ');
      repeat(line, 'y', 5);
    },
  },
  {
    name: 'a body that drips',
    serve: (line) => {
      line.send('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
      repeat(line, ' ', 5);
    },
  },
  {
    name: 'chunks that drip',
    serve: (line) => {
      line.send('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      repeat(line, '1\r\n \r\n', 10);
    },
  },
  {
    name: 'the size of a chunk that drips',
    serve: (line) => {
      line.send('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      repeat(line, '0', 20);
    },
  },
  {
    name: 'trailers that drip',
    serve: (line) => {
      line.send('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n');
      repeat(line, 'x: y\r\n', 20);
    },
  },
  {
    name: 'the body of a redirect that drips',
    serve: (line) => {
      line.send('HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 100000\r\n\r\n');
      repeat(line, 'x', 5);
    },
  },
];

function drip(line: Parameters<HostileResponse['serve']>[0], text: string): void {
  const bytes = [...text];
  const timer = setInterval(() => {
    const next = bytes.shift();
    if (next !== undefined) line.send(next);
  }, 50);
  line.socket.once('close', () => clearInterval(timer));
}

/** Closed, reset, early and late: what may happen at every moment of an exchange. */
export const moments: readonly HostileResponse[] = [
  ...slow.map((response) => ({ ...response, ending: timeout, endless: true })),
  {
    name: 'closed at once',
    ending: reset,
    atOnce: true,
    serve: (line) => void line.socket.destroy(),
  },
  {
    name: 'reset at once',
    ending: reset,
    atOnce: true,
    serve: (line) => void cut(line),
  },
  {
    name: 'half closed at once',
    ending: reset,
    atOnce: true,
    serve: (line) => void line.socket.end(),
  },
  {
    name: 'reset at the first byte of the request',
    ending: reset,
    atOnce: true,
    serve: (line) => void line.socket.once('data', () => cut(line)),
  },
  raw('closed after the request', reset, '', 'end'),
  raw('reset after the request', reset, '', 'reset'),
  raw('closed within the status line', reset, 'HTTP/1.1 20', 'end'),
  raw('reset within the status line', reset, 'HTTP/1.1 20', 'reset'),
  raw('closed within the head', reset, head, 'end'),
  raw('reset within the head', reset, head, 'reset'),
  raw('closed behind the head', reset, `${head}\r\n`, 'end'),
  raw('reset behind the head', reset, `${head}\r\n`, 'reset'),
  raw('closed within the body', reset, `${head}\r\n{"code"`, 'end'),
  raw('reset within the body', reset, `${head}\r\n{"code"`, 'reset'),
  raw('closed behind the answer', accepted, (right) => message(right), 'end'),
  {
    name: 'byte by byte',
    ending: accepted,
    serve: async (line, right) => {
      for (const byte of message(JSON.stringify(right))) {
        line.send(Uint8Array.of(byte));
        if (byte === 0x0a) await new Promise((resolve) => setImmediate(resolve));
      }
    },
  },
  {
    name: 'a response before the request',
    ending: { exit: 'any' },
    endless: true,
    atOnce: true,
    serve: (line) => line.send(message('{"code":"0000","message":"early"}')),
  },
];
