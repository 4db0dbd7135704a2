import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { bin, isRunning, type Running, shell, start } from './support/program.ts';

/*
 * How the program as it is built ends: signals, closed and full streams, and what it has started.
 */

const folder = mkdtempSync(join(tmpdir(), 'authcli-ending-'));
const env = { AUTHCLI_CONFIG: join(folder, 'config.json'), TMPDIR: folder };
const scripts = mkdtempSync(join(tmpdir(), 'authcli-scripts-'));
after(() => {
  for (const each of [folder, scripts]) rmSync(each, { recursive: true, force: true });
});

/** Starts the program, with an empty standard input unless it reads that. */
function authcli(...argv: string[]): Running {
  const running = start(process.execPath, [bin, ...argv], { env });
  if (argv[1] !== '-') running.child.stdin?.end();
  return running;
}

/** Waits until none of the processes is left. */
async function leftOf(pids: readonly number[]): Promise<readonly number[]> {
  for (let looks = 0; looks < 1000 && pids.some(isRunning); looks += 1) await delay(20);
  return pids.filter(isRunning);
}

const signals = [
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 143],
  ['SIGQUIT', 143],
] as const;

const pidsIn = (text: string): readonly number[] =>
  [...text.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));

describe('a command behind -- and all that it has started', { concurrency: true }, () => {
  const family = 'echo pid $$; sh -c "echo pid \\$\\$; sleep 300" & sleep 301 & echo pid $!; ';

  for (const [signal, status] of signals) {
    it(`end with the emulator on ${signal}`, async () => {
      const running = authcli('emulate', 'app', '--', 'sh', '-c', `${family} wait`);
      await running.says(/(?:pid \d+\n.*){3}/s);
      running.child.kill(signal);
      const ended = await running.ended;
      assert.equal(ended.status, status, ended.stderr);
      const pids = pidsIn(ended.stdout);
      assert.equal(pids.length, 3, ended.stdout);
      assert.deepEqual(await leftOf(pids), []);
    });
  }

  it('end when the command ends by itself, with its status', async () => {
    const running = authcli('emulate', 'app', '--', 'sh', '-c', `${family} exit 5`);
    const { status, stdout } = await running.ended;
    assert.equal(status, 5);
    assert.deepEqual(await leftOf(pidsIn(stdout)), []);
  });

  it('are killed at the second signal when they heed none', async () => {
    const deaf = 'trap "echo heard" INT TERM; echo pid $$; echo ready; while :; do sleep 1; done';
    const running = authcli('emulate', 'service', '--', 'sh', '-c', deaf);
    await running.says('ready');
    running.child.kill('SIGINT');
    await running.says('heard');
    assert.equal(running.child.exitCode, null);
    running.child.kill('SIGINT');
    const { status, stdout } = await running.ended;
    assert.equal(status, 130);
    assert.deepEqual(await leftOf(pidsIn(stdout)), []);
  });

  it('hand on the signal that ended the command', async () => {
    const { status } = await shell(`$authcli emulate app -- sh -c 'kill -KILL $$'`, env);
    assert.equal(status, 137);
  });
});

it('an emulator ends with the shell in which npm runs it, which alone gets the signal', async () => {
  const place = { env: { ...env, npm_lifecycle_script: "'authcli'" } };
  const argv = ['-c', '"$0" "$@"; :', process.execPath, bin, 'emulate', 'app'];
  const running = start('sh', argv, place);
  await running.says('listening');
  running.child.kill();
  assert.match((await running.ended).stderr, /Terminated: npm was ended/);
});

describe('a command of a cmd: reference and what it has started', { concurrency: true }, () => {
  for (const [signal, status] of signals.slice(0, 2)) {
    it(`end on ${signal}`, async () => {
      const script = join(scripts, `${signal}.sh`);
      const pids = join(scripts, `${signal}.pids`);
      const family = `echo pid $$ >> ${pids}; sh -c 'echo pid $$ >> ${pids}; sleep 302; :' & wait`;
      writeFileSync(script, family);
      const running = authcli('encrypt', 'x', '--key', `cmd:sh ${script}`, '--json');
      const written = () => (existsSync(pids) ? pidsIn(readFileSync(pids, 'utf8')) : []);
      for (let looks = 0; looks < 1000 && written().length < 2; looks += 1) await delay(20);
      assert.equal(written().length, 2);
      running.child.kill(signal);
      const ended = await running.ended;
      assert.equal(ended.status, status, ended.stderr);
      assert.equal(JSON.parse(ended.stdout).error.code, 'interrupted');
      assert.deepEqual(await leftOf(written()), []);
    });
  }
});

describe('a run that waits for what never comes', { concurrency: true }, () => {
  for (const [signal, status] of signals.slice(0, 2)) {
    it(`ends on ${signal} although standard input stays open`, async () => {
      const running = authcli('decrypt', '-', '--key', 'k');
      // More than a pipe takes: once all of it is gone, it is being read.
      await new Promise((done) => running.child.stdin?.write('x'.repeat(1_000_000), done));
      running.child.kill(signal);
      const ended = await running.ended;
      assert.equal(ended.status, status);
      assert.equal(ended.stdout, '');
    });
  }

  it('ends on a signal although a named pipe stays open', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
    const running = authcli('decrypt', `@${pipe}`, '--key', 'k');
    const writer = await openForReader(pipe);
    running.child.kill('SIGTERM');
    const { status, signal, stderr } = await running.ended;
    closeSync(writer);
    assert.deepEqual([status, signal], [null, 'SIGTERM']);
    assert.equal(stderr, 'Terminated.\n');
  });
});

/** Opens a named pipe for writing as soon as a process reads from it. */
async function openForReader(pipe: string): Promise<number> {
  for (;;) {
    try {
      return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch {
      await delay(10);
    }
  }
}

const full = `error: Standard output can't be written: no space is left.
  Free some space, or send the output elsewhere.
`;

describe('streams that are closed', { concurrency: true }, () => {
  for (const [script, status, stderr] of [
    ['$authcli key generate <&-', 0, ''],
    ['$authcli demo <&- >&- 2>&-', 0, ''],
    ['$authcli emulate app -- sh -c "exit 7" <&- >&- 2>&-', 7, ''],
    ['$authcli decrypt - --key 12345678901234567890123456789012 <&- 2>/dev/null', 1, ''],
    ['$authcli demo | head -n 1 >/dev/null; exit $PIPESTATUS', 0, ''],
    ['$authcli config get nope 2> >(exit 0)', 2, ''],
    ['$authcli key generate >/dev/full', 4, full],
    ['$authcli key generate >/dev/full 2>&1', 4, ''],
    ['$authcli help >/dev/full', 4, full],
    ['$authcli help environment | true; exit $PIPESTATUS', 0, ''],
  ] as const) {
    it(`are not a bug: ${script.replaceAll('$authcli', 'authcli')}`, async () => {
      const ended = await shell(script, env);
      assert.equal(ended.status, status, ended.stderr);
      assert.equal(ended.stderr, stderr);
    });
  }
});

it('a run leaves no temporary file', () => {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  assert.deepEqual(
    names.filter((name) => name !== 'pipe'),
    [],
  );
});
