import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { run } from '../support/run.ts';
import { check } from '../support/verify-sample.ts';
import { emulated } from './emulate.ts';

const cwd = mkdtempSync(join(tmpdir(), 'authcli-terminal-text-'));
after(() => rmSync(cwd, { recursive: true, force: true }));

/** A link (OSC 8), a colour, the bell, DEL, CSI in one character, bidirectional controls, line separators, a line of its own. */
const hostile =
  '\u001b]8;;http://evil.example\u0007L\u001b]8;;\u001b\\\u001b[31mR\u001b[2J\r\u007f\u0085\u009b2J\u202e\u2066\u200f\u2028\u2029\nforged line';

const inFile = (name: string, content: unknown): string => {
  const file = join(cwd, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), {
    mode: 0o600,
  });
  return file;
};

/** A config file that was written by hand, with a profile of that name and settings of that text. */
const configFile = inFile('config.json', {
  version: 1,
  profile: hostile,
  profiles: {
    [hostile]: {
      url: `http://127.0.0.1:1/${hostile}`,
      'client-id': hostile,
      cipher: hostile,
      'secret-key': `env:${hostile}`,
      headers: [`x: ${hostile}`],
      ca: hostile,
      stack: hostile,
      'expire-time-zone': hostile,
      timeout: hostile,
    },
    plain: { url: 'http://127.0.0.1:1/', 'client-id': hostile, headers: [`x-local: ${hostile}`] },
  },
});

const report = (status: string, id: string): unknown => ({
  schema: 'authcli/verify/1',
  checks: [
    { ...check(), id, title: hostile, status, diagnosis: { code: hostile } },
    { ...check(), id: `gone-${status}-${hostile}` },
  ],
});
const before = inFile('before.json', report('passed', hostile));
const afterwards = inFile('after.json', report('failed', hostile));
const row = (ptnCd: string) => JSON.stringify({ ptn_cd: ptnCd, key: 'k'.repeat(32) });
const baseline = inFile('baseline.json', {
  schema: 'authcli/verify/1',
  checks: [{ id: hostile, status: hostile }],
});
const artillery = inFile('artillery.json', {
  aggregate: {
    counters: {
      [`errors.${hostile}`]: 3,
      'http.requests': 4,
      'vusers.failed': 3,
      'vusers.created': 4,
      [`authcli.${hostile}`]: 3,
    },
    rates: {},
    summaries: {
      [hostile]: {
        min: 1,
        max: 2,
        count: 4,
        mean: 1,
        p50: 1,
        median: 1,
        p75: 1,
        p90: 1,
        p95: 1,
        p99: 1,
        p999: 1,
      },
    },
  },
  intermediate: [],
});

const sent = (name: string, body: unknown) => ({
  method: hostile,
  target: `/${hostile}`,
  headers: [[`x-${name}-${hostile}`, `k ${hostile}`]],
  body: JSON.stringify(body),
});
const token = { client_id: hostile, secret_key: 'a-secret-key', ptn_token: 'a-token' };
const answer = { code: hostile, message: hostile, [hostile]: hostile, result: {} };
const callback = { client_id: hostile, used_type: '1', ptn_cd: hostile, public_key: hostile };
const traffic = inFile(
  'traffic.jsonl',
  [
    { schema: 'authcli/recording/1', secrets: 'values' },
    {
      request: sent('a-secret-key', token),
      failure: { code: 'refused', message: hostile, hint: hostile },
    },
    {
      request: sent('b', token),
      response: { status: 200, status_text: hostile, ...sent('b', answer) },
    },
    { request: sent('c', callback), response: { status: 200, ...sent('c', answer) } },
  ]
    .map((line) => JSON.stringify(line))
    .join('\n'),
);

const plain = ['--profile', 'plain'] as const;
const cases: readonly (readonly string[])[] = [
  ['config', 'list'],
  ['config', 'list', '--origin'],
  ['config', 'list', ...plain],
  ['config', 'get', 'client-id', ...plain],
  ['config', 'get', 'headers', ...plain],
  ['config', 'get', hostile],
  ['config', 'set', 'client-id', hostile, ...plain],
  ['config', 'set', hostile, 'x', ...plain],
  ['config', 'set', 'timeout', hostile, ...plain],
  ['config', 'set', 'expire-time-zone', hostile, ...plain],
  ['config', 'set', 'cipher', hostile, ...plain],
  ['config', 'set', 'secret-key', `env:${hostile}`, ...plain],
  ['config', 'set', 'headers', `x-local: ${hostile}`, ...plain],
  ['config', 'unset', hostile, ...plain],
  ['config', 'path', '--config', join(cwd, hostile)],
  ['config', 'profile', 'list'],
  ['config', 'profile', 'use', hostile],
  ['config', 'profile', 'use', `no ${hostile}`],
  ['config', 'profile', 'create', hostile],
  ['config', 'profile', 'create', `new ${hostile}`],
  ['config', 'profile', 'remove', `no ${hostile}`],
  ['config', 'list', '--profile', `no ${hostile}`],
  ['config', 'list', '--config', hostile],
  ['doctor'],
  ['doctor', ...plain],
  ['report', 'diff', before, afterwards],
  ['report', 'diff', afterwards, before],
  ['report', 'diff', hostile, afterwards],
  ['load', 'import', artillery],
  ['load', 'import', hostile],
  ['load', 'export', '--out', hostile, ...plain],
  ['load', '--url', 'http://127.0.0.1:1/', '--rate', hostile, ...plain],
  ['analyze', traffic],
  ['learn', traffic],
  ['users', 'list', ...plain],
  ['users', 'show', hostile, ...plain],
  ['users', 'show', `no ${hostile}`, ...plain],
  ['users', 'remove', `no ${hostile}`, ...plain],
  ['users', 'import', hostile, ...plain],
  ['users', 'export', '--out', hostile, ...plain],
  ['users', 'export', ...plain],
  ['explain', hostile],
  ['explain', `no ${hostile}`, '--cipher', hostile],
  ['completion', hostile],
  [hostile],
  ['key', hostile],
  ['help', hostile],
  ['verify', `--${hostile}`],
  ['verify', '--check', hostile, ...plain],
  ['verify', '--seed', hostile, '--check', 'key-exchange/answers-success', ...plain],
  ['verify', '--baseline', baseline, '--check', 'key-exchange/answers-success', ...plain],
  ['verify', '--report', `json=${hostile}`, ...plain],
  ['verify', '--report', `${hostile}=x`, ...plain],
  ['verify', '--har', join(hostile, 'x'), ...plain],
  ['verify', '--url', hostile],
  ['emulate', 'app', '--fault', hostile, ...plain],
  ['emulate', 'app', '--port', hostile, ...plain],
  ['simulate-signup', '--ptn-cd', hostile, '--verbose', '--curl', ...plain],
  ['simulate-signup', '--ptn-cd', hostile, '--resolve', hostile, ...plain],
  ['signin', '--ptn-token', `env:${hostile}`, ...plain],
  [
    'signin',
    '--ptn-token',
    `cmd:${hostile}`,
    '--secret-key',
    's',
    '--auth-url',
    'http://127.0.0.1:1',
    ...plain,
  ],
  ['issue-ptn-token', '--ptn-cd', hostile, ...plain],
  ['decrypt', 'AAAA', '--key', `env:${hostile}`],
  ['decrypt', 'AAAA', '--key', `file:${hostile}`],
  ['decrypt', hostile, '--key', 'k'.repeat(32)],
  ['decrypt', 'AAAA', '--key', 'k'.repeat(32), '--cipher', hostile],
  ['key', 'inspect', hostile],
  ['key', 'inspect', '--public-key', `@${hostile}`],
  ['key', 'pair', '--out', join(hostile, 'x')],
  ['cipher', 'identify', hostile, '--key', 'k'.repeat(32)],
  ['simulate-signup', '--stack', hostile],
  ['init', '--no-input', '--url', hostile],
];

/** The start of emulators. */
const started: readonly (readonly string[])[] = [
  ['app', '--client-id', hostile, '--verbose', ...plain],
  [
    'service',
    '--client-id',
    hostile,
    '--secret-key',
    `file:${inFile('secret', hostile)}`,
    ...plain,
  ],
  [
    'service',
    '--verbose',
    '--callback-url',
    'http://127.0.0.1:1/',
    '--header',
    `x: ${hostile}`,
    ...plain,
  ],
];

/** The codes of the styles, which are in pairs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are control sequences
const styles = /\u001b\[(?:1|2|22|31|32|33|36|39)m/g;

function assertHarmless(text: string, what: string): void {
  assert.ok(!text.includes('\u001b[31mR'), `${what}: coloured`);
  const bare = text.replace(styles, '');
  assert.doesNotMatch(bare, /(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u, `${what}: controls`);
  assert.doesNotMatch(bare, /^forged line/m, `${what}: a line of its own`);
}

describe('local text', async () => {
  await run(['users', 'import', '-', ...plain], { configFile, cwd, stdin: row(hostile) });
  for (const argv of cases) {
    const name = argv
      .map((word) => word.replaceAll(hostile, 'X').replace(/[^ -~]+/g, 'X'))
      .join(' ');
    it(`is escaped on a terminal: ${name}`, async () => {
      const env = { TERM: 'xterm-256color' };
      const { stdout, stderr } = await run(argv, { configFile, cwd, env, isTerminal: true });
      assert.notEqual(stdout + stderr, '', name);
      assertHarmless(stdout, `${name}\n${JSON.stringify(stdout)}`);
      assertHarmless(stderr, `${name}\n${JSON.stringify(stderr)}`);
      if (argv.includes(traffic)) assert.doesNotMatch(stdout, /^\s*forged line/m, stdout);
      const json = await run([...argv, '--json'], { configFile, cwd });
      assertHarmless(json.stdout + json.stderr, name);
      for (const line of json.stdout.trimEnd().split(/\n(?=\{)/)) JSON.parse(line);
    });
  }
  for (const argv of started) {
    const name = argv.map((word) => word.replace(/[^ -~]+/g, 'X')).join(' ');
    it(`is escaped on a terminal: emulate ${name}`, async () => {
      const where = { configFile, cwd, env: { TERM: 'xterm-256color' }, isTerminal: true };
      const signUp = ['simulate-signup', '--ptn-cd', hostile, ...plain];
      const { stdout, stderr } = await emulated(
        argv,
        async (url) => {
          if (argv[0] === 'app') await run([...signUp, '--url', `${url}/callback`], where);
        },
        where,
      );
      assertHarmless(stdout, JSON.stringify(stdout));
      assertHarmless(stderr, JSON.stringify(stderr));
    });
  }

  it('is raw in a pipe where a command exists to print it', async () => {
    const value = await run(['config', 'get', 'client-id', ...plain], { configFile, cwd });
    assert.equal(value.stdout, `${hostile}\n`);
    const path = await run(['config', 'path', '--config', `/x/${hostile}`], { configFile, cwd });
    assert.ok(path.stdout.includes('\u001b[31mR'), path.stdout);
  });
});
