import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fixture } from '../support/fixtures.ts';
import { check } from '../support/verify-sample.ts';
import { emulated } from './emulate.ts';
import { workspace } from './workspace.ts';

const { folder: cwd, path, configFile, save, cli } = workspace();

/** A link (OSC 8), a colour, the bell, DEL, CSI in one character, bidirectional controls, line separators, a line of its own. */
const hostile =
  '\u001b]8;;http://evil.example\u0007L\u001b]8;;\u001b\\\u001b[31mR\u001b[2J\r\u007f\u0085\u009b2J\u202e\u2066\u200f\u2028\u2029\nforged line';

const inFile = (name: string, content: unknown): string => {
  save(name, typeof content === 'string' ? content : JSON.stringify(content));
  chmodSync(path(name), 0o600);
  return path(name);
};

/** A config file that was written by hand, with a profile of that name and settings of that text. */
inFile('config.json', {
  version: 1,
  profile: hostile,
  profiles: {
    [hostile]: {
      url: `http://127.0.0.1:1/${hostile}`,
      'secret-key': `env:${hostile}`,
      'client-id': hostile,
      cipher: hostile,
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
const baseline = inFile('baseline.json', {
  schema: 'authcli/verify/1',
  checks: [{ id: hostile, status: hostile }],
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
const answered = { status: 200, status_text: hostile, ...sent('b', answer) };
const failure = { code: 'refused', message: hostile, hint: hostile };
const recorded = [
  {
    schema: 'authcli/recording/1',
    version: '0',
    started_at: '2026-11-23T03:04:05Z',
    secrets: 'values',
  },
  { operation: 'token', request: sent('a-secret-key', token), failure },
  { operation: 'token', request: sent('b', token), response: answered },
  { operation: 'key-exchange', request: sent('c', callback), response: answered },
];
const traffic = inFile('traffic.jsonl', recorded.map((line) => JSON.stringify(line)).join('\n'));

const words: Readonly<Record<string, string>> = {
  BEFORE: before,
  AFTER: afterwards,
  BASELINE: baseline,
  TRAFFIC: traffic,
  URL: 'http://127.0.0.1:1/',
  KEY: 'k'.repeat(32),
};
const plain = ['--profile', 'plain'] as const;
const argvOf = (line: string): readonly string[] =>
  line
    .split(' ')
    .flatMap((word) => (word === 'P' ? plain : [words[word] ?? word.replace('X', hostile)]));
/** X is the hostile text, P a profile that can be used. */
const cases = fixture('hostile-command-lines.txt')
  .trim()
  .split(/;\s|\n/);

/** The start of emulators. */
const secretFile = inFile('secret', hostile);
const started = [
  'app --client-id X --verbose P',
  `service --client-id X --secret-key file:${secretFile} P`,
  'service --verbose --callback-url URL --header x:X P',
];

/** The codes of the styles, which are in pairs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are control sequences
const styles = /\u001b\[(?:1|2|22|31|32|33|36|39)m/g;

function assertHarmless(text: string): void {
  const what = JSON.stringify(text);
  assert.ok(!text.includes('\u001b[31mR'), `coloured: ${what}`);
  const bare = text.replace(styles, '');
  assert.doesNotMatch(bare, /(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u, what);
  assert.doesNotMatch(bare, /^forged line/m, `a line of its own: ${what}`);
}

describe('local text', async () => {
  const where = { env: { TERM: 'xterm-256color' }, isTerminal: true };
  await cli(['users', 'import', '-', ...plain], {
    stdin: JSON.stringify({ ptn_cd: hostile, key: 'k'.repeat(32) }),
  });
  for (const line of cases) {
    it(`is escaped on a terminal: ${line}`, async () => {
      const argv = argvOf(line);
      const { stdout, stderr } = await cli(argv, where);
      assert.notEqual(stdout + stderr, '');
      assertHarmless(stdout);
      assertHarmless(stderr);
      if (argv.includes(traffic)) assert.doesNotMatch(stdout, /^\s*forged line/m, stdout);
      const json = await cli([...argv, '--json']);
      assertHarmless(json.stdout + json.stderr);
      for (const document of json.stdout.trimEnd().split(/\n(?=\{)/)) JSON.parse(document);
    });
  }
  for (const line of started) {
    it(`is escaped on a terminal: emulate ${line.replace(cwd, '')}`, async () => {
      const signUp = argvOf('simulate-signup --ptn-cd X P');
      const visit = async (url: string): Promise<void> => {
        if (line.startsWith('app')) await cli([...signUp, '--url', `${url}/callback`], where);
      };
      const { stdout, stderr } = await emulated(argvOf(line), visit, { configFile, cwd, ...where });
      assertHarmless(stdout);
      assertHarmless(stderr);
    });
  }

  it('is raw in a pipe where a command exists to print it', async () => {
    const value = await cli(argvOf('config get client-id P'));
    assert.equal(value.stdout, `${hostile}\n`);
    const shown = await cli(argvOf('config path --config /x/X'));
    assert.ok(shown.stdout.includes('\u001b[31mR'), shown.stdout);
  });
});
