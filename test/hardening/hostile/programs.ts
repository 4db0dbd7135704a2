/** A program that `verify --signin` runs, hostile or broken; Node runs it as an ES module. */
export interface HostileProgram {
  readonly name: string;
  readonly code: string;
  /** Whether it ends by the time limit alone. */
  readonly isEndless?: boolean;
  /** Whether it leaves a process behind on purpose, in a session of its own, that can't be found. */
  readonly escapes?: boolean;
}

/** Writes `chunk` that many times to a descriptor, as fast as it is taken. */
const writes = (descriptor: number, chunk: string, times: number) =>
  `import { writeSync } from 'node:fs';
const chunk = ${chunk};
for (let left = ${times}; left > 0; left -= 1) for (let at = 0; at < chunk.length;) {
  try { at += writeSync(${descriptor}, chunk, at); } catch (error) { if (error.code !== 'EAGAIN') process.exit(9); }
}`;
const megabyte = "Buffer.alloc(1 << 20, 'a')";
const says = (text: string) => `process.stdout.write(${text});`;
const spawns = (code: string, detached = false) =>
  `import { spawn } from 'node:child_process';
const options = { stdio: 'inherit', detached: ${detached} };
spawn(process.execPath, ['-e', ${JSON.stringify(code)}], options).unref();
setTimeout(() => process.exit(0), 300);`;
const waits = 'setInterval(() => {}, 1000);';
const ignores = "for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {});";
const closes = "import { closeSync } from 'node:fs';for (const each of [0, 1, 2]) closeSync(each);";
const asks = `for (;;) await fetch(process.env.AUTHCLI_AUTH_URL + '/process/token', { method: 'POST', body: '{}' }).catch(() => {});`;
const twenty = `import { spawn } from 'node:child_process';
for (let left = 20; left > 0; left -= 1) spawn('sleep', ['60'], { stdio: 'inherit' }).unref();
process.exit(0);`;
const controls = 'Array(32).keys(), ...Array.from(Array(33), (_, at) => 127 + at)';

/** Programs that write unrequested output, don't end as they should, or start others. */
const ending: readonly (readonly [name: string, code: string])[] = [
  ['writes 1 GB', writes(1, megabyte, 1024)],
  ['writes 1 GB of errors', writes(2, megabyte, 1024)],
  ['writes one line of 64 MB', writes(1, megabyte, 64)],
  ['writes single bytes', writes(1, "Buffer.from('a')", 100_000)],
  ['writes invalid UTF-8', says("Buffer.from('fffec080eda080f5808080e228a180', 'hex')")],
  ['writes UTF-16', says("Buffer.from('\\ufeffsigned in', 'utf16le')")],
  ['cuts a character at its end', says("Buffer.from('\\u{1f511}').subarray(0, 3)")],
  ['writes NUL bytes', says("'\\0'.repeat(100_000)")],
  ['writes C0 and C1 controls', says(`String.fromCharCode(...${controls})`)],
  ['sets the title', says("'\\x1b[2J\\x1b[H\\x1b]0;gone\\x07\\x9b31m'")],
  ['writes bidirectional controls', says("'\\u202e\\u2066\\u200f\\u2028\\u2029\\ufeff txen'")],
  ['writes what looks like the result', says(`'{"ok":true,"command":"verify"}\\n'`)],
  ['writes markup', says("'<script>alert(1)</script>]]>&\\n'")],
  ['writes its environment', says('JSON.stringify(process.env) + Object.values(process.env)')],
  ...['SIGKILL', 'SIGTERM', 'SIGSEGV', 'SIGINT', 'SIGPIPE'].map(
    (signal) => [`ends by ${signal}`, `process.kill(process.pid, '${signal}');${waits}`] as const,
  ),
  ['ends with 255', 'process.exit(255);'],
  ['has a syntax error', 'this is no program'],
  ['reads its input to the end', 'for await (const _ of process.stdin);'],
  ['closes its streams, and ends', closes],
  ['leaves a child', spawns(waits)],
  ['leaves a child that ignores signals', spawns(ignores + waits)],
  ['leaves a child that writes', spawns("setInterval(() => console.log('x'.repeat(65536)), 1);")],
  ['starts twenty at once', twenty],
];

const endless: readonly (readonly [name: string, code: string])[] = [
  ['writes without end', writes(1, megabyte, 1e9)],
  ['never ends', waits],
  ['ignores every signal that it can', ignores + waits],
  ['stops itself', "process.kill(process.pid, 'SIGSTOP');"],
  ['never yields', 'for (;;);'],
  ['closes its streams, and goes on', closes + waits],
  ['asks without end', asks],
];

const head = (lines: string) =>
  `'POST /process/token HTTP/1.1\\r\\nHost: a\\r\\nContent-Type: application/json;charset=utf-8\\r\\n${lines}\\r\\n'`;
const line = (text: string) => `'${text}\\r\\nHost: a\\r\\n\\r\\n'`;
const chunked = head('Transfer-Encoding: chunked\\r\\n');

/** What clients of the emulated service send, as an expression for bytes or pieces of them, and what they do behind it. */
const rubbish: readonly (readonly [
  name: string,
  bytes: string,
  then?: 'reset' | 'end' | 'wait',
  connections?: number,
])[] = [
  ['random bytes', 'randomBytes(100_000)'],
  ['nothing, on fifty connections', "''", 'wait', 50],
  ['half a request line', "'POST /proc'", 'wait'],
  ['a reset behind half a line', "'POST /proc'", 'reset'],
  ['an end behind half a head', "'POST / HTTP/1.1\\r\\nHo'", 'end'],
  [
    'a head without end',
    "['POST / HTTP/1.1\\r\\n', ...Array(20).fill('X: y\\r\\n'.repeat(20_000))]",
  ],
  ['a long path', line("GET /' + 'a'.repeat(100_000) + ' HTTP/1.1")],
  ['escapes in the path', line('POST /\\x1b[2J%1b%00\\xe2\\x80\\xae/process/token HTTP/1.1')],
  ['another method', line('BREW /process/token HTTP/1.1')],
  ['line feeds alone', "'POST /process/token HTTP/1.1\\nHost: a\\nContent-Length: 2\\n\\n{}'"],
  ['an upgrade', head('Connection: upgrade\\r\\nUpgrade: websocket\\r\\n')],
  ['100-continue, no body', head('Expect: 100-continue\\r\\nContent-Length: 10\\r\\n'), 'wait'],
  ['a length and less', head('Content-Length: 1000\\r\\n'), 'end'],
  ['a length and nothing', head('Content-Length: 1000\\r\\n'), 'wait'],
  ['a negative length', head('Content-Length: -1\\r\\n')],
  ['a chunk of no size', `${chunked} + 'zz\\r\\n'`],
  ['a chunk of a huge size', `${chunked} + 'ffffffffffffffff\\r\\n'`],
  [
    'chunks without end',
    `[${chunked}, ...Array(3000).fill('4000\\r\\n' + 'x'.repeat(16384) + '\\r\\n')]`,
  ],
  ['a thousand requests at once', "whole('{}').repeat(1000)"],
  ['an empty body', "whole('')"],
  ['a body of 100,000 levels', "whole('['.repeat(100_000))"],
  ['a body of 40 MB', "whole('x'.repeat(40_000_000))"],
  ['a hundred bodies of 1 MB', `whole('{"a":"' + 'x'.repeat(1_000_000) + '"}')`, 'end', 100],
  ['duplicate keys', `whole('{"client_id":"a","client_id":"b","__proto__":{"x":1}}')`],
  ['a body that is not UTF-8', "whole('{\\xff\\xfe}')"],
  ['lone surrogates', `whole('{"client_id":"\\\\ud800","secret_key":"\\\\u202e\\\\u001b[2J"}')`],
  ['a reset behind a whole request', "whole('{}')", 'reset'],
];

/** What every client does: it sends what it has to send, waits for a moment, and ends. */
const client = (bytes: string, then: string, connections: number) =>
  `import { connect } from 'node:net';
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
    ${then === 'end' ? 'socket.end();' : then === 'reset' ? 'socket.resetAndDestroy();' : ''}
  });
});
const all = Array.from({ length: ${connections} }, client);
await Promise.race([Promise.all(all), delay(700)]);
process.exit(1);`;

export const hostilePrograms: readonly HostileProgram[] = [
  ...ending.map(([name, code]) => ({ name, code })),
  ...endless.map(([name, code]) => ({ name, code, isEndless: true })),
  { name: 'leaves a session', code: spawns('setTimeout(() => {}, 4000);', true), escapes: true },
  ...rubbish.map(([name, bytes, then = 'end', connections = 1]) => ({
    name: `sends ${name}`,
    code: client(bytes, then, connections),
  })),
];
