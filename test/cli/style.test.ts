import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mayColour, showsUnicode } from '../../src/cli/terminal/style.ts';
import { run } from '../support/run.ts';

const configFile = '/no-such-folder/config.json';
const terminal = { isTerminal: true, columns: 100, write: () => {} };
const pipe = { ...terminal, isTerminal: false };

describe('colour', () => {
  const cases = [
    { env: {}, onTerminal: true, inPipe: false },
    { env: { NO_COLOR: '1' }, onTerminal: false, inPipe: false },
    { env: { NO_COLOR: '' }, onTerminal: true, inPipe: false },
    { env: { TERM: 'dumb' }, onTerminal: false, inPipe: false },
    { env: { FORCE_COLOR: '0' }, onTerminal: false, inPipe: false },
    { env: { FORCE_COLOR: 'false' }, onTerminal: false, inPipe: false },
    { env: { FORCE_COLOR: '1' }, onTerminal: true, inPipe: true },
    { env: { FORCE_COLOR: '2' }, onTerminal: true, inPipe: true },
    { env: { FORCE_COLOR: '3', TERM: 'dumb' }, onTerminal: true, inPipe: true },
    { env: { FORCE_COLOR: '', TERM: 'dumb' }, onTerminal: false, inPipe: false },
    { env: { FORCE_COLOR: '3', NO_COLOR: '1' }, onTerminal: false, inPipe: false },
  ];
  for (const { env, onTerminal, inPipe } of cases) {
    it(`follows ${JSON.stringify(env)}`, () => {
      assert.equal(mayColour(terminal, env, false), onTerminal);
      assert.equal(mayColour(pipe, env, false), inPipe);
      assert.equal(mayColour(terminal, env, true), false);
    });
  }

  it('is in the output when it is forced, and not when it is switched off', async () => {
    const env = { FORCE_COLOR: '1' };
    const { stdout } = await run(['cipher', 'list'], { configFile, env });
    assert.ok(stdout.includes('\u001b[1mdefault\u001b[22m'));
    const plain = await run(['cipher', 'list', '--no-color'], {
      configFile,
      env,
      isTerminal: true,
    });
    assert.ok(!plain.stdout.includes('\u001b'));
  });
});

describe('signs beyond ASCII', () => {
  const cases: readonly {
    readonly os: string;
    readonly env: Readonly<Record<string, string>>;
    readonly shown: boolean;
  }[] = [
    { os: 'linux', env: { TERM: 'xterm' }, shown: true },
    { os: 'linux', env: { TERM: 'linux' }, shown: false },
    { os: 'darwin', env: {}, shown: true },
    { os: 'win32', env: {}, shown: false },
    { os: 'win32', env: { WT_SESSION: 'a' }, shown: true },
    { os: 'win32', env: { TERM_PROGRAM: 'vscode' }, shown: true },
    { os: 'win32', env: { TERM: 'xterm-256color' }, shown: true },
  ];
  for (const { os, env, shown } of cases) {
    it(`are ${shown ? '' : 'not '}shown on ${os} with ${JSON.stringify(env)}`, async () => {
      const platform = { node: '22.0.0', openssl: '3.0.0', os };
      assert.equal(showsUnicode({ env, platform }), shown);
      const context = { platform };
      const environment = { configFile, env: { ...env, NO_COLOR: '1' }, context, isTerminal: true };
      const { stdout } = await run(['doctor'], environment);
      assert.equal(/[^ -~\n]/.test(stdout), shown, stdout);
      const piped = await run(['doctor'], { ...environment, isTerminal: false });
      assert.match(piped.stdout, /✓/);
    });
  }
});

describe('lines on a terminal', () => {
  for (const columns of [40, 80, 200]) {
    it(`fit ${columns} columns`, async () => {
      let stdout = '';
      const write = (text: string): void => {
        stdout += text;
      };
      const output = { isTerminal: true, columns, write };
      const env = { NO_COLOR: '1' };
      await run(['verify', '--list'], { configFile, env, context: { stdout: output } });
      const wide = stdout.split('\n').filter((line) => line.length > columns);
      assert.deepEqual(wide, []);
      assert.ok(stdout.split('\n').some((line) => line.length > columns / 2));
    });
  }
});
