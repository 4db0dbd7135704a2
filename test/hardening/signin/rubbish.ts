import type { HostileProgram } from './programs.ts';

/** Bytes that a client of the emulated service sends on a connection, and what it does behind them. */
interface Rubbish {
  readonly name: string;
  /** An expression that gives the bytes, or several pieces of them. */
  readonly bytes: string;
  readonly ending?: 'reset' | 'end' | 'wait';
  /** How many connections do so at the same time. */
  readonly times?: number;
}

const head = (lines: string) =>
  `'POST /process/token HTTP/1.1\\r\\nHost: a\\r\\nContent-Type: application/json;charset=utf-8\\r\\n${lines}\\r\\n'`;
const sized = (body: string) => `whole(${body})`;
const line = (text: string) => `'${text}\\r\\nHost: a\\r\\n\\r\\n'`;

const rubbish: readonly Rubbish[] = [
  { name: 'random bytes', bytes: 'randomBytes(100_000)' },
  { name: 'a greeting of TLS', bytes: "Buffer.from('16030100050100000100', 'hex')" },
  { name: 'the preface of HTTP/2', bytes: "'PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n'" },
  { name: 'nothing, on fifty connections', bytes: "''", ending: 'wait', times: 50 },
  { name: 'half a request line', bytes: "'POST /proc'", ending: 'wait' },
  { name: 'a reset behind half a line', bytes: "'POST /proc'", ending: 'reset' },
  { name: 'an end behind half a head', bytes: "'POST / HTTP/1.1\\r\\nHo'", ending: 'end' },
  {
    name: 'a head without end',
    bytes: "['POST / HTTP/1.1\\r\\n', ...Array(2000).fill('X-Y: ' + 'z'.repeat(1000) + '\\r\\n')]",
  },
  { name: 'ten thousand headers', bytes: head("' + 'a: b\\r\\n'.repeat(10_000) + '") },
  { name: 'a long path', bytes: line("GET /' + 'a'.repeat(100_000) + ' HTTP/1.1") },
  {
    name: 'escapes in the path',
    bytes: line('POST /\\x1b[2J%1b%00\\xe2\\x80\\xae/process/token HTTP/1.1'),
  },
  { name: 'a whole URL', bytes: line('POST http://other.test/process/token HTTP/1.1') },
  { name: 'an asterisk', bytes: line('OPTIONS * HTTP/1.1') },
  { name: 'CONNECT', bytes: line('CONNECT other.test:443 HTTP/1.1') },
  { name: 'another method', bytes: line('BREW /process/token HTTP/1.1') },
  { name: 'HTTP/0.9', bytes: "'GET /process/token\\r\\n'" },
  { name: 'HTTP/9.9', bytes: line('POST /process/token HTTP/9.9') },
  {
    name: 'line feeds alone',
    bytes: "'POST /process/token HTTP/1.1\\nHost: a\\nContent-Length: 2\\n\\n{}'",
  },
  { name: 'no Host', bytes: "'POST /process/token HTTP/1.1\\r\\nContent-Length: 2\\r\\n\\r\\n{}'" },
  { name: 'an upgrade', bytes: head('Connection: upgrade\\r\\nUpgrade: websocket\\r\\n') },
  {
    name: 'Expect: 100-continue, and no body',
    bytes: head('Expect: 100-continue\\r\\nContent-Length: 10\\r\\n'),
    ending: 'wait',
  },
  { name: 'a length and less', bytes: head('Content-Length: 1000\\r\\n'), ending: 'end' },
  { name: 'a length and nothing', bytes: head('Content-Length: 1000\\r\\n'), ending: 'wait' },
  { name: 'a negative length', bytes: head('Content-Length: -1\\r\\n') },
  { name: 'two lengths', bytes: head('Content-Length: 2\\r\\nContent-Length: 3\\r\\n') },
  {
    name: 'a length and chunks',
    bytes: `${head('Content-Length: 2\\r\\nTransfer-Encoding: chunked\\r\\n')} + '0\\r\\n\\r\\n'`,
  },
  { name: 'a chunk of no size', bytes: `${head('Transfer-Encoding: chunked\\r\\n')} + 'zz\\r\\n'` },
  {
    name: 'a chunk of a huge size',
    bytes: `${head('Transfer-Encoding: chunked\\r\\n')} + 'ffffffffffffffff\\r\\n'`,
  },
  {
    name: 'chunks without end',
    bytes: `[${head('Transfer-Encoding: chunked\\r\\n')}, ...Array(3000).fill('4000\\r\\n' + 'x'.repeat(16384) + '\\r\\n')]`,
  },
  { name: 'a header with a control character', bytes: head('X-Y: a\\x01b\\r\\n') },
  { name: 'a header folded', bytes: head('X-Y: a\\r\\n b\\r\\nContent-Length: 2\\r\\n') },
  { name: 'a thousand requests at once', bytes: `${sized("'{}'")}.repeat(1000)` },
  { name: 'an empty body', bytes: sized("''") },
  { name: 'a body of 100,000 levels', bytes: sized("'['.repeat(100_000)") },
  { name: 'a body of 40 MB', bytes: sized("'x'.repeat(40_000_000)") },
  {
    name: 'a hundred bodies of 1 MB',
    bytes: sized(`'{"a":"' + 'x'.repeat(1_000_000) + '"}'`),
    times: 100,
  },
  {
    name: 'a body with duplicate keys',
    bytes: sized(`'{"client_id":"a","client_id":"b","__proto__":{"x":1}}'`),
  },
  {
    name: 'a body that is not UTF-8',
    bytes: "whole(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]).toString('latin1'))",
  },
  {
    name: 'a body with lone surrogates',
    bytes: sized(`'{"client_id":"\\\\ud800","secret_key":"\\\\u202e\\\\u001b[2J"}'`),
  },
  { name: 'a reset behind a whole request', bytes: sized("'{}'"), ending: 'reset' },
];

/** What every client does: it sends what it has to send, waits for a moment, and ends. */
function program({ bytes, ending = 'end', times = 1 }: Rubbish): string {
  return `import { connect } from 'node:net';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
const { hostname, port } = new URL(process.env.AUTHCLI_AUTH_URL);
const whole = (body) => ${head("Content-Length: ' + body.length + '\\r\\n")} + body;
const pieces = [${bytes}].flat();
const client = () => new Promise((done) => {
  const socket = connect(Number(port), hostname).on('error', () => {}).on('close', done).resume();
  socket.on('connect', async () => {
    for (const piece of pieces) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece;
      if (!socket.write(bytes)) await Promise.race([new Promise((on) => socket.once('drain', on)), delay(500)]);
    }
    ${ending === 'end' ? 'socket.end();' : ending === 'reset' ? 'socket.resetAndDestroy();' : ''}
  });
});
const all = Array.from({ length: ${times} }, client);
await Promise.race([Promise.all(all), delay(700)]);
process.exit(1);`;
}

/** Clients of the emulated service that send it rubbish, as programs that `verify --signin` runs. */
export const rubbishClients: readonly HostileProgram[] = rubbish.map((each) => ({
  name: `sends ${each.name}`,
  code: program(each),
}));
