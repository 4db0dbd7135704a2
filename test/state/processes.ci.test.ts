import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Secret } from '../../src/crypto/secret.ts';
import { bundleInto } from '../support/bundled.ts';
import { draws } from '../support/draws.ts';
import { configFile, modeOf, stateOf, temporaryFolder } from './temporary-state.ts';

/** Bundled once: sixteen processes that each compile it first would take longer than their work. */
const worker = join(temporaryFolder(), 'state-worker.mjs');
const children: ChildProcess[] = [];

before(() => bundleInto(worker, 'esm', 'test/state/state-worker.ts'));

after(() => {
  for (const child of children) child.kill('SIGKILL');
});

function start(file: string, ...task: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [worker, file, ...task], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout);
  const lines = createInterface(child.stdout);
  const [line] = (await once(lines, 'line')) as [string];
  lines.close();
  return line;
}

async function linesOf(child: ChildProcess): Promise<string[]> {
  assert.ok(child.stdout);
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) lines.push(line);
  return lines;
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

describe('many processes', { concurrency: true }, () => {
  it('lose nothing of what they write at the same time', async () => {
    const file = configFile();
    const names = Array.from({ length: draws(16) }, (_, index) => `p${index}`);
    const codes = await Promise.all(names.map((name) => ended(start(file, 'write', name, '4'))));
    assert.deepEqual([...new Set(codes)], [0]);
    const { profiles, users, settings } = stateOf(file);
    const written = names.flatMap((name) => [0, 1, 2, 3].map((round) => `${name} ${round}`));
    assert.deepEqual(profiles.list(), ['default', ...written].sort());
    assert.deepEqual(
      users.list().map(({ ptnCd }) => ptnCd),
      [...written].sort(),
    );
    const added = [...(settings.list().headers ?? [])].sort();
    assert.deepEqual(added, names.flatMap((name) => [name, name, name, name]).sort());
    assert.equal(modeOf(file), '600');
    assert.deepEqual(readdirSync(dirname(file)).sort(), ['config.json', 'config.json.profiles']);
  });

  it('take over the lock of one that was killed', async () => {
    const file = configFile('{}');
    await stateOf(file).users.put({ ptnCd: 'u', key: Secret.key('k'), state: 'known' });
    const holder = start(file, 'hold');
    assert.equal(await firstLine(holder), 'holding');
    holder.kill('SIGKILL');
    await ended(holder);
    const old = Date.now() / 1000 - 11; // a second longer than a lock may be left alone
    utimesSync(`${file}.lock`, old, old);
    await Promise.all(['a', 'b', 'c'].map((name) => stateOf(file).profiles.create(name)));
    assert.deepEqual(stateOf(file).profiles.list(), ['a', 'b', 'c', 'default']);
    assert.equal(existsSync(`${file}.lock`), false);
  });

  it('that are ended by a signal leave no lock', async () => {
    const file = configFile('{}');
    const holder = start(file, 'hold');
    assert.equal(await firstLine(holder), 'holding');
    holder.kill('SIGTERM');
    await ended(holder);
    assert.equal(existsSync(`${file}.lock`), false);
  });

  it('that were suspended notice that they lost the lock, and begin again', async () => {
    const file = configFile('{}');
    const sleeper = start(file, 'sleep', 'sleeper');
    assert.equal(await firstLine(sleeper), 'holding');
    while (!isStopped(sleeper.pid)) await delay(10);
    // As a process that is stopped for long would look.
    utimesSync(`${file}.lock`, 1, 1);
    await stateOf(file).settings.assign(() => ({ headers: ['other'] }));
    sleeper.kill('SIGCONT');
    assert.equal(await ended(sleeper), 0);
    assert.deepEqual(stateOf(file).settings.list().headers, ['other', 'sleeper']);
    assert.equal(existsSync(`${file}.lock`), false);
  });

  it('leave whole files and all finished writes behind, whenever they are killed', async () => {
    const kill = async (name: string) => {
      const file = configFile('{}');
      const writer = start(file, 'write', name, '10000');
      const finished = linesOf(writer);
      await once(writer.stdout ?? writer, 'data');
      await delay(Math.random() * 100);
      writer.kill('SIGKILL');
      const rounds = (await finished).length;
      const { profiles, users, settings } = stateOf(file);
      assert.ok(rounds > 0 && users.list().length >= rounds);
      assert.ok((settings.list().headers ?? []).length >= rounds);
      for (let round = 0; round < rounds; round += 1) {
        assert.ok(profiles.list().includes(`${name} ${round}`));
        assert.equal(users.get(`${name} ${round}`)?.key.reveal(), name);
      }
    };
    await Promise.all(Array.from({ length: draws(4) }, (_, index) => kill(`k${index}`)));
  });
});

function isStopped(pid = 0): boolean {
  const state = existsSync('/proc/self/stat')
    ? readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '')
    : spawnSync('ps', ['-o', 'state=', '-p', `${pid}`], { encoding: 'utf8' }).stdout;
  return state.startsWith('T');
}
