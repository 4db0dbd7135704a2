import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { readyTexts } from '../scripts/ready-texts.ts';
import { commands } from '../src/cli/commands/index.ts';
import { helpTopics } from '../src/cli/terminal/help-topics.ts';
import { run } from './support/run.ts';

/*
 * Help and version are printed from texts that the build made, before anything is loaded. They must
 * be what the program itself prints.
 */

const bin = resolve('bin/authcli.js');
const environment = { configFile: resolve('no-such-folder/config.json') };

const groups = commands.flatMap(({ path }) => {
  const words = path.split(' ');
  return words.slice(0, -1).map((_, index) => words.slice(0, index + 1).join(' '));
});

/** Everything that there is help on but the program itself: commands, groups of them, topics. */
const helpPaths: readonly string[] = [
  ...new Set([...commands.map(({ path }) => path), ...groups, ...helpTopics]),
];

function printed(...argv: string[]): Promise<string> {
  return new Promise((done, fail) => {
    execFile(process.execPath, [bin, ...argv], (error, stdout) =>
      error === null ? done(stdout) : fail(error),
    );
  });
}

describe('help that is ready', () => {
  it('is that of the program', async () => {
    for (const path of helpPaths) {
      const words = path.split(' ');
      const { stdout, status } = await run([...words, '--help'], environment);
      assert.equal(status, 0, path);
      assert.equal(readFileSync(`dist/help/${words.join('/')}.txt`, 'utf8'), stdout, path);
    }
  });

  it('comes in every way of asking', async () => {
    for (const argv of [
      [],
      ['--help'],
      ['-h'],
      ['help'],
      ['help', 'key', 'wrap'],
      ['key', 'wrap', '-h'],
      ['key', '--help'],
      ['verify', '--help'],
      ['help', 'environment'],
    ]) {
      const { stdout } = await run(argv, environment);
      assert.equal(await printed(...argv), stdout, argv.join(' '));
    }
  });

  it('was made from the source as it is', async () => {
    const texts = await readyTexts();
    for (const [name, text] of texts) assert.equal(readFileSync(join('dist', name), 'utf8'), text);
    const files = readdirSync('dist/help', { recursive: true, encoding: 'utf8' });
    const made = files.filter((file) => file.endsWith('.txt')).length;
    assert.equal(made, [...texts.keys()].filter((name) => name.startsWith('help/')).length);
  });

  it('leaves to the program what is more than words', async () => {
    assert.equal(JSON.parse(await printed('key', 'wrap', '--help', '--json')).command, 'help');
    const stray = spawnSync(process.execPath, [bin, 'decrypt', '../version', '--help']);
    const { stdout } = await run(['decrypt', '../version', '--help'], environment);
    assert.equal(stray.stdout.toString(), stdout);
  });

  it('ends with 0 when its reader went away, and with 4 when the disk is full', () => {
    const pipeline = ['-c', '"$@" | true; echo $PIPESTATUS', 'bash', process.execPath, bin];
    const reader = spawnSync('bash', [...pipeline, '--help']);
    if (reader.error === undefined) assert.equal(reader.stdout.toString(), '0\n');
    if (!existsSync('/dev/full')) return;
    const full = openSync('/dev/full', 'w');
    const { status } = spawnSync(process.execPath, [bin, '--help'], { stdio: ['ignore', full, 2] });
    closeSync(full);
    assert.equal(status, 4);
  });
});
