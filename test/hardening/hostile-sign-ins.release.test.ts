import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { searchOutput } from '../support/secret-scan.ts';
import { judge, runProcess } from './hostile/ended.ts';
import { hostilePrograms } from './hostile/programs.ts';

/*
 * The sign-in of an application that is hostile: its program or its requests. Each run ends in time, within its memory,
 * with one JSON document and no secret shown.
 */

const folder = mkdtempSync(join(tmpdir(), 'authcli-signin-trials-'));
const configFile = join(folder, 'config.json');
after(() => rmSync(folder, { recursive: true, force: true }));

/** Both check one right sign-in, and one of them is not satisfied by a program that sends no request. */
const checks = ['accepts-right-sign-in', 'both-calls'].map((id) => `--check=signin/${id}`);
const verify = [
  ...['verify', ...checks, '--secret-key', 'the-secret-key-of-the-sign-in-trials'],
  ...['--ptn-cd', 'trial-user', '--key', '0123456789abcdefghijklmnopqrstuv'],
  ...['--super-passcode', 'the passcode of the trials'],
];

const command = { name: 'verify', mayEnd: () => ({ exits: [1] }) };

describe('a sign-in program', { concurrency: 4 }, () => {
  for (const [index, { name, code, isEndless, escapes }] of hostilePrograms.entries()) {
    it(`that ${name}`, async () => {
      for (const shows of ['--json', '--verbose']) {
        const mark = `authcli-trial-${process.pid}-${index}${shows}`;
        const file = join(folder, `${index}.mjs`);
        writeFileSync(file, code);
        const argv = [...verify, '--timeout', isEndless ? '1500ms' : '20s', shows, '--signin'];
        const env = { AUTHCLI_CONFIG: configFile, AUTHCLI_TRIAL_MARK: mark };
        const ended = await runProcess([...argv, '--', process.execPath, file], env);
        const response = { ending: { exit: 'any' } } as const;
        assert.deepEqual(judge(ended, response, command, shows === '--json'), []);
        const given = { argv, env: {}, stdin: '', cwd: folder };
        await searchOutput(given, `${ended.stdout}${ended.stderr}`);
        if (!escapes) assert.deepEqual(await leftOf(mark), []);
      }
    });
  }
});

/** Processes whose environment contains the mark and that don't end soon; they are ended. */
async function leftOf(mark: string): Promise<readonly string[]> {
  for (let patienceMs = 2000; patienceMs > 0 && marked(mark).length > 0; patienceMs -= 100)
    await delay(100);
  const left = marked(mark);
  for (const pid of left) spawnSync('kill', ['-9', pid]);
  return left;
}

function marked(mark: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
    } catch {
      return false; // it has ended meanwhile, is another's, or isn't a process
    }
  });
}
