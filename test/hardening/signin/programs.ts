/** A program that `verify --signin` runs, hostile or broken; Node runs it as an ES module. */
export interface HostileProgram {
  readonly name: string;
  readonly code: string;
  /** Whether it ends by the time limit alone. */
  readonly endless?: boolean;
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
const spawns = (code: string, options: string) =>
  `import { spawn } from 'node:child_process';
const child = spawn(process.execPath, ['-e', ${JSON.stringify(code)}], ${options});
child.unref();
setTimeout(() => process.exit(0), 300);`;
const waits = 'setInterval(() => {}, 1000);';
const asks = (count: string) =>
  `for (let left = ${count}; left > 0; left -= 1) {
  await fetch(process.env.AUTHCLI_AUTH_URL + '/process/token', { method: 'POST', body: '{}' }).catch(() => {});
}`;

/** Programs that write unrequested output. */
const writers: readonly HostileProgram[] = [
  { name: 'writes 1 GB', code: writes(1, megabyte, 1024) },
  { name: 'writes 1 GB of errors', code: writes(2, megabyte, 1024) },
  { name: 'writes one line of 64 MB', code: writes(1, megabyte, 64) },
  { name: 'writes without end', code: writes(1, megabyte, 1e9), endless: true },
  { name: 'writes single bytes', code: writes(1, "Buffer.from('a')", 100_000) },
  {
    name: 'writes invalid UTF-8',
    code: says(
      "Buffer.from('ff fe c0 80 ed a0 80 f5 80 80 80 e2 28 a1 80'.replaceAll(' ', ''), 'hex')",
    ),
  },
  { name: 'writes UTF-16', code: says("Buffer.from('\\ufeffsigned in', 'utf16le')") },
  { name: 'cuts a character at its end', code: says("Buffer.from('\\u{1f511}').subarray(0, 3)") },
  { name: 'writes NUL bytes', code: says("'\\0'.repeat(100_000)") },
  {
    name: 'writes C0 and C1 controls',
    code: says(
      'String.fromCharCode(...Array(32).keys(), ...Array.from(Array(33), (_, at) => 127 + at))',
    ),
  },
  {
    name: 'clears the screen and sets the title',
    code: says("'\\x1b[2J\\x1b[H\\x1b]0;gone\\x07\\x9b31m'"),
  },
  {
    name: 'writes bidirectional controls and separators',
    code: says("'\\u202e\\u2066\\u200f\\u2028\\u2029\\ufeff txen'"),
  },
  { name: 'writes what looks like the result', code: says(`'{"ok":true,"command":"verify"}\\n'`) },
  { name: 'writes markup', code: says("'<script>alert(1)</script>]]>&\\n'") },
  {
    name: 'writes its whole environment',
    code: says("JSON.stringify(process.env) + Object.values(process.env).join('\\n')"),
  },
];

/** Programs that don't end as they should. */
const enders: readonly HostileProgram[] = [
  { name: 'never ends', code: waits, endless: true },
  {
    name: 'ignores every signal that it can',
    code: `for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGPIPE', 'SIGQUIT']) process.on(name, () => {});${waits}`,
    endless: true,
  },
  { name: 'stops itself', code: "process.kill(process.pid, 'SIGSTOP');", endless: true },
  { name: 'never yields', code: 'for (;;);', endless: true },
  ...['SIGKILL', 'SIGTERM', 'SIGSEGV', 'SIGABRT', 'SIGINT', 'SIGPIPE'].map((signal) => ({
    name: `ends by ${signal}`,
    code: `process.kill(process.pid, '${signal}');${waits}`,
  })),
  { name: 'ends with 255', code: 'process.exit(255);' },
  { name: 'has a syntax error', code: 'this is no program' },
  { name: 'reads its input to the end', code: 'for await (const _ of process.stdin);' },
  {
    name: 'closes its streams at once, and goes on',
    code: `import { closeSync } from 'node:fs';for (const each of [0, 1, 2]) closeSync(each);${waits}`,
    endless: true,
  },
  {
    name: 'closes its streams at once, and ends',
    code: "import { closeSync } from 'node:fs';for (const each of [0, 1, 2]) closeSync(each);",
  },
];

/** Programs that start others. */
const parents: readonly HostileProgram[] = [
  {
    name: 'leaves a child that keeps its streams open',
    code: spawns(waits, "{ stdio: 'inherit' }"),
  },
  {
    name: 'leaves a child that ignores signals',
    code: spawns(`process.on('SIGTERM', () => {});${waits}`, "{ stdio: 'inherit' }"),
  },
  {
    name: 'leaves a child that writes without end',
    code: spawns(
      "setInterval(() => process.stdout.write('x'.repeat(65536)), 1);",
      "{ stdio: 'inherit' }",
    ),
  },
  {
    name: 'leaves a session of its own that keeps its streams open',
    code: spawns('setTimeout(() => {}, 4000);', "{ stdio: 'inherit', detached: true }"),
    escapes: true,
  },
  {
    name: 'starts twenty at once',
    code: `import { spawn } from 'node:child_process';
for (let left = 20; left > 0; left -= 1) spawn('sleep', ['60'], { stdio: 'inherit' }).unref();
process.exit(0);`,
  },
  { name: 'asks without end', code: asks('Infinity'), endless: true },
  { name: 'asks a hundred times', code: asks('100') },
];

export const programs: readonly HostileProgram[] = [...writers, ...enders, ...parents];
