import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type RunningSide, startSide } from '../../support/side.ts';
import { keys, runOnTerminal, type Step } from '../../support/terminal.ts';

/*
 * The installed program on a real pseudo-terminal: what is on the screen in the end is compared
 * with test/transcripts/terminal/. UPDATE_TRANSCRIPTS=1 writes the files anew: read the difference.
 */

// A short name: lines that contain it must not break in 120 columns.
const folder = mkdtempSync(join(tmpdir(), 'tty-'));
const { enter, down, ctrlC, ctrlD } = keys;
let app: RunningSide;

before(async () => {
  const configFile = join(folder, 'app.json');
  app = await startSide(['app', '--cipher', 'aes-256-gcm'], { configFile });
});
after(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

function newHome(): string {
  return mkdtempSync(join(folder, 'home-'));
}

function assertTranscript(name: string, lines: readonly string[], home: string): void {
  const file = `test/transcripts/terminal/${name}.txt`;
  const text = `${lines.join('\n')}\n`
    .replaceAll(home, '/home/you')
    .replaceAll(app.url, 'http://localhost:8080')
    .replace(/\d+ ms/g, 'N ms');
  if (process.env.UPDATE_TRANSCRIPTS === '1') writeFileSync(file, text);
  assert.equal(text, readFileSync(file, 'utf8'));
}

/** Answers to every question of `init`, up to the last. */
function answers(url: string): readonly Step[] {
  return [
    ['callback URL', `${url}${enter}`],
    ['Client ID', enter],
    ['{auth_url}', enter],
    ['secret key', enter],
    ['The reference', `env:MY_SECRET${enter}`],
    ['cipher of', `${down}${enter}`],
    ['time zone', `Asia/Seoul${enter}`],
    ['language of', `java${enter}`],
  ];
}

describe('init on a terminal', () => {
  const env = { MY_SECRET: 'my-own-secret', NO_COLOR: '1' };

  it('asks, tries, finds the cipher out, shows the profile and writes it', async () => {
    const cwd = newHome();
    const columns = 120;
    const steps = [...answers(app.url), ['Write this', enter]] as const;
    const run = await runOnTerminal(['init'], steps, { cwd, env, columns });
    assert.equal(run.status, 0, run.lines.join('\n'));
    assert.doesNotMatch(run.raw, /my-own-secret/);
    assertTranscript('init', run.lines, cwd);
    assert.match(readFileSync(join(cwd, '.config/authcli/config.json'), 'utf8'), /aes-256-gcm/);
  });

  it('breaks what it says where words end, in 40 columns', async () => {
    const cwd = newHome();
    const steps = [
      ['later', `localhost:8080/callback${enter}`],
      ['no scheme', ctrlC],
    ] as const;
    const { lines } = await runOnTerminal(['init'], steps, { cwd, env, columns: 40 });
    assert.deepEqual(lines.slice(0, 5), [
      "? The application's callback URL",
      '  (empty: later): localhost:8080/callbac',
      'k',
      '> The URL localhost:8080/callback has',
      '  no scheme (http:// or https://). Did',
    ]);
  });

  it('asks nothing under --no-input, nor when errors go elsewhere', async () => {
    const cwd = newHome();
    const run = await runOnTerminal(['init', '--no-input'], [], { cwd, env });
    assert.equal(run.status, 2);
    assertTranscript('init-no-input', run.lines, cwd);
  });

  for (const [name, key] of [
    ['Ctrl-C', ctrlC],
    ['Ctrl-D', ctrlD],
  ] as const) {
    it(`leaves everything as it was on ${name}`, async () => {
      const cwd = newHome();
      const steps = [...answers(app.url).slice(0, 2), ['{auth_url}', key]] as const;
      const run = await runOnTerminal(['init'], steps, { cwd, env });
      assert.equal(run.status, 130, run.lines.join('\n'));
      assert.match(run.lines.at(-1) ?? '', /Interrupted\.$/);
      assert.equal(existsSync(join(cwd, '.config')), false);
    });
  }

  it('leaves everything as it was on Ctrl-C before the last question is answered', async () => {
    const cwd = newHome();
    const steps = [...answers(app.url), ['Write this', ctrlC]] as const;
    const run = await runOnTerminal(['init'], steps, { cwd, env });
    assert.equal(run.status, 130);
    assert.equal(existsSync(join(cwd, '.config')), false);
  });
});

describe('a missing value on a terminal', () => {
  it('is asked for, a secret unseen', async () => {
    const cwd = newHome();
    const argv = ['signin', '--timeout', '2s'];
    const steps = [
      ['--ptn-token', `token-unseen${enter}`],
      ['--auth-url', `http://127.0.0.1:9${enter}`],
      ['--client-id', `my-app${enter}`],
      ['--secret-key', `secret-unseen${enter}`],
    ] as const;
    const run = await runOnTerminal(argv, steps, { cwd, env: { NO_COLOR: '1' } });
    assert.equal(run.status, 3);
    assert.doesNotMatch(run.raw, /unseen[^\]]/);
    assertTranscript('signin-asks', run.lines, cwd);
  });

  it('is coloured, but not under NO_COLOR', async () => {
    const cwd = newHome();
    const steps = [['(<text>)', ctrlC]] as const;
    const coloured = await runOnTerminal(['key', 'inspect'], steps, { cwd });
    assert.ok(coloured.raw.includes('\x1b[36m?'));
    const plain = await runOnTerminal(['key', 'inspect'], steps, { cwd, env: { NO_COLOR: '1' } });
    assert.ok(!plain.raw.includes('\x1b[3'));
  });
});

describe('help on a terminal', () => {
  for (const columns of [40, 60, 99, 100, 200]) {
    it(`keeps to ${columns} columns`, async () => {
      const cwd = newHome();
      const env = { NO_COLOR: '1' };
      const { status, raw } = await runOnTerminal(['signin', '--help'], [], { cwd, env, columns });
      assert.equal(status, 0);
      const lines = raw.split(/\r?\n/);
      const from = lines.indexOf('Examples:');
      const prose = [...lines.slice(0, from), ...lines.slice(lines.indexOf('Exit status:'))];
      const tooLong = prose.filter((line) => line.length > columns && !/^ +\S+$/.test(line));
      assert.deepEqual(tooLong, []);
      const longest = Math.max(...prose.map((line) => line.length));
      assert.ok(longest > Math.min(columns, 100) - 20);
    });
  }
});
