import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { readyTexts } from '../scripts/ready-texts.ts';
import { helpTopics } from '../src/cli/terminal/help-topics.ts';
import { helpPaths } from './bin-help.ts';
import { run } from './support/run.ts';

/*
 * Help and version are printed from texts that the build made, before anything is loaded. They must
 * be what the program itself prints.
 */

const bin = resolve('bin/authcli.js');
const environment = { configFile: resolve('no-such-folder/config.json') };

function printed(...argv: string[]): Promise<string> {
  return new Promise((done, fail) => {
    execFile(process.execPath, [bin, ...argv], (error, stdout) =>
      error === null ? done(stdout) : fail(error),
    );
  });
}

describe('help that is ready', () => {
  // That the installed program prints the text of each is a test of the full run.
  for (const path of helpPaths) {
    const words = path.split(' ');
    it(`is that of the program: ${path}`, async () => {
      const { stdout, status } = await run([...words, '--help'], environment);
      assert.equal(status, 0);
      assert.equal(readFileSync(`dist/help/${words.join('/')}.txt`, 'utf8'), stdout);
    });
  }

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

  it('is the same on a terminal, but for its headings', async () => {
    for (const path of ['', ...helpPaths]) {
      const argv = [...path.split(' ').filter((word) => word !== ''), '--help'];
      const terminal = await run(argv, { ...environment, isTerminal: true });
      const pipe = await run(argv, environment);
      assert.equal(stripVTControlCharacters(terminal.stdout), pipe.stdout, path);
      const bold = terminal.stdout.split('\u001b[1m').slice(1);
      for (const heading of bold.map((part) => part.split('\u001b[22m')[0] ?? ''))
        assert.match(heading, /^[A-Z][a-z, -]{4,40}:$/, path);
      assert.ok(bold.length > 0 || helpTopics.includes(path), path);
    }
  });

  it('has its headings bold where colour is forced, and nowhere under NO_COLOR', async () => {
    const cases: readonly (readonly [env: Readonly<Record<string, string>>, bold: boolean])[] = [
      [{ FORCE_COLOR: '1' }, true],
      [{ FORCE_COLOR: '0' }, false],
      [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    ];
    for (const [env, isBold] of cases) {
      for (const words of [[], ['key'], ['verify']]) {
        const { stdout } = await run([...words, '--help'], { ...environment, env });
        const { stdout: shown } = spawnSync(process.execPath, [bin, ...words, '--help'], {
          env: { PATH: process.env.PATH, ...env },
        });
        assert.equal(shown.toString(), stdout);
        assert.equal(stdout.includes('\u001b[1m'), isBold);
      }
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

  it('names what is near an unknown command', () => {
    const { status, stderr } = spawnSync(process.execPath, [bin, 'help', 'decrpyt']);
    assert.equal(status, 2);
    assert.match(stderr.toString(), /decrypt/);
  });

  it('gives the version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    for (const flag of ['--version', '-V']) assert.equal(await printed(flag), `${version}\n`);
  });

  it('ends with 0 when its reader went away, and with 4 when the disk is full', () => {
    const reader = spawnSync('bash', [
      '-c',
      '"$@" | true; echo $PIPESTATUS',
      'bash',
      process.execPath,
      bin,
      '--help',
    ]);
    if (reader.error === undefined) assert.equal(reader.stdout.toString(), '0\n');
    if (!existsSync('/dev/full')) return;
    const full = openSync('/dev/full', 'w');
    const { status } = spawnSync(process.execPath, [bin, '--help'], { stdio: ['ignore', full, 2] });
    closeSync(full);
    assert.equal(status, 4);
  });
});
