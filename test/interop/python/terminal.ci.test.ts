import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isRunning } from '../../support/program.ts';
import { type RunningSide, startSide } from '../../support/side.ts';
import { keys, runOnTerminal, type Step } from '../../support/terminal.ts';

/*
 * The installed program on a real pseudo-terminal, which Python's pty makes: what is on the screen in the end is
 * compared with test/transcripts/terminal/. UPDATE_TRANSCRIPTS=1 writes the files anew: read the difference.
 */

// A short name: lines that contain it must not break in 120 columns.
const folder = mkdtempSync(join(tmpdir(), 'tty-'));
const { enter, down, ctrlC, ctrlD } = keys;
const plain = { NO_COLOR: '1' };
let app: RunningSide;

before(async () => {
  const configFile = join(folder, 'app.json');
  app = await startSide(['app', '--cipher', 'aes-256-gcm'], { configFile });
});
after(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs in a home of its own. */
async function onTerminal(
  argv: readonly string[],
  steps: readonly Step[] = [],
  { columns = 100, env = {} }: { columns?: number; env?: Readonly<Record<string, string>> } = {},
) {
  const cwd = mkdtempSync(join(folder, 'home-'));
  const found = await runOnTerminal(argv, steps, { cwd, env, columns });
  return { ...found, cwd };
}

type Run = Awaited<ReturnType<typeof onTerminal>>;

function assertTranscript(name: string, { lines, cwd }: Run): void {
  const file = `test/transcripts/terminal/${name}.txt`;
  const text = `${lines.join('\n')}\n`
    .replaceAll(cwd, '/home/you')
    .replaceAll(app.url, 'http://localhost:8080')
    .replace(/\d+ ms/g, 'N ms');
  if (process.env.UPDATE_TRANSCRIPTS === '1') writeFileSync(file, text);
  assert.equal(text, readFileSync(file, 'utf8'));
}

describe('init on a terminal', () => {
  const env = { MY_SECRET: 'my-own-secret', NO_COLOR: '1' };
  /** Answers to every question, up to the last. */
  const answers = (): readonly Step[] => [
    ['callback URL', `${app.url}${enter}`],
    ['Client ID', enter],
    ['{auth_url}', enter],
    ['secret key', enter],
    ['The reference', `env:MY_SECRET${enter}`],
    ['cipher of', `${down}${enter}`],
    ['time zone', `Asia/Seoul${enter}`],
    ['language of', `java${enter}`],
  ];

  it('asks, tries, finds the cipher out, shows the profile and writes it', async () => {
    const steps: Step[] = [...answers(), ['Write this', enter]];
    const found = await onTerminal(['init'], steps, { env, columns: 120 });
    assert.equal(found.status, 0, found.lines.join('\n'));
    assert.doesNotMatch(found.raw, /my-own-secret/);
    assertTranscript('init', found);
    const written = readFileSync(join(found.cwd, '.config/authcli/config.json'), 'utf8');
    assert.match(written, /aes-256-gcm/);
  });

  it('breaks what it says where words end, in 40 columns', async () => {
    const steps: Step[] = [
      ['later', `localhost:8080/callback${enter}`],
      ['no scheme', ctrlC],
    ];
    const { lines } = await onTerminal(['init'], steps, { env, columns: 40 });
    assert.deepEqual(lines.slice(0, 5), [
      "? The application's callback URL",
      '  (empty: later): localhost:8080/callbac',
      'k',
      '> The URL localhost:8080/callback has',
      '  no scheme (http:// or https://). Did',
    ]);
  });

  it('asks nothing under --no-input', async () => {
    const found = await onTerminal(['init', '--no-input'], [], { env });
    assert.equal(found.status, 2);
    assertTranscript('init-no-input', found);
  });

  for (const [title, answered, question, key] of [
    ['Ctrl-D', 2, '{auth_url}', ctrlD],
    ['Ctrl-C at the last question', 8, 'Write this', ctrlC],
  ] as const) {
    it(`leaves everything as it was on ${title}`, async () => {
      const steps: Step[] = [...answers().slice(0, answered), [question, key]];
      const { status, lines, cwd } = await onTerminal(['init'], steps, { env });
      assert.equal(status, 130, lines.join('\n'));
      assert.match(lines.at(-1) ?? '', /Interrupted\.$/);
      assert.equal(existsSync(join(cwd, '.config')), false);
    });
  }
});

describe('on a terminal', { concurrency: 2 }, () => {
  it('a missing value is asked for, a secret unseen', async () => {
    const steps: Step[] = [
      ['--ptn-token', `token-unseen${enter}`],
      ['--auth-url', `http://service:9${enter}`],
      ['--client-id', `my-app${enter}`],
      ['--secret-key', `secret-unseen${enter}`],
    ];
    const argv = ['signin', '--resolve', 'service:9:127.0.0.1'];
    const found = await onTerminal(argv, steps, { env: plain });
    assert.equal(found.status, 3);
    assert.doesNotMatch(found.raw, /unseen[^\]]/);
    assertTranscript('signin-asks', found);
  });

  it('questions are coloured, but not under NO_COLOR', async () => {
    const steps: Step[] = [['(<text>)', ctrlC]];
    const coloured = await onTerminal(['key', 'inspect'], steps);
    assert.ok(coloured.raw.includes('\x1b[34m?'));
    const { raw } = await onTerminal(['key', 'inspect'], steps, { env: plain });
    assert.ok(!raw.includes('\x1b[3'));
  });

  it('help keeps to the columns that there are', async () => {
    const { raw } = await onTerminal(['signin', '--help'], [], { env: plain, columns: 60 });
    const lines = raw.split(/\r?\n/);
    const from = lines.indexOf('Examples:');
    const prose = [
      ...lines.slice(0, from),
      ...lines.slice(lines.findIndex((line) => line.startsWith('More:'))),
    ];
    const longest = Math.max(...prose.map((line) => line.length));
    assert.ok(longest > 50 && longest <= 60, `${longest}`);
  });

  it('Ctrl-C ends the command behind --, and all that it has started', async () => {
    const command = 'sleep 300 & echo pid $! $$ $(echo ready); wait';
    const argv = ['emulate', 'app', '--', 'sh', '-c', command];
    const { raw, status } = await onTerminal(argv, [['ready', ctrlC]]);
    assert.equal(status, 130, raw);
    const pids = /pid (\d+) (\d+)/.exec(raw)?.slice(1).map(Number) ?? [];
    assert.equal(pids.length, 2, raw);
    assert.deepEqual(pids.filter(isRunning), []);
  });

  it('the command behind -- may ask, and one that prints a secret', async () => {
    const asks = ['sh', '-c', 'echo name?; read name; echo "I am $name"'];
    const answered = await onTerminal(
      ['emulate', 'app', '--', ...asks],
      [['name?', `bob${enter}`]],
    );
    assert.match(answered.raw, /I am bob/);
    assert.equal(answered.status, 0);
    const key = `cmd:sh -c 'echo password? >&2; read p; echo "$p$p"'`;
    const steps: Step[] = [['password?', `0123456789abcdef${enter}`]];
    const { raw } = await onTerminal(['encrypt', 'text', '--key', key], steps);
    assert.match(raw, /[A-Za-z0-9+/]{43}=/);
  });

  it('Ctrl-C ends a run that waits for what is typed', async () => {
    const token = `cmd:sh -c 'echo ready >&2; echo t'`;
    const service = ['--client-id', 'c', '--auth-url', 'http://127.0.0.1:1'];
    const argv = ['signin', '--ptn-token', token, '--secret-key', '-', ...service];
    const { raw, status } = await onTerminal(argv, [['ready', ctrlC]]);
    assert.equal(status, 130, raw);
  });

  it('no escape is written where TERM is dumb, in however few columns', async () => {
    for (const [line, status] of [
      ['demo', 0],
      ['simulate-signup --url http://127.0.0.1:1/ --ptn-cd u', 3],
      ['verify --url http://127.0.0.1:1/', 3],
      ['doctor', 0],
    ] as const) {
      const found = await onTerminal(line.split(' '), [], { env: { TERM: 'dumb' }, columns: 20 });
      assert.deepEqual([found.status, found.raw.includes('\u001b')], [status, false], found.raw);
    }
  });
});
