import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bin, isRunning, start } from '../../support/program.ts';

/*
 * The program on a real terminal, which Python's pty makes.
 */

const script = fileURLToPath(new URL('./on-a-terminal.py', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'authcli-terminal-'));
const config = join(folder, 'config.json');
after(() => rmSync(folder, { recursive: true, force: true }));

interface Terminal {
  readonly columns?: number;
  readonly term?: string;
  /** What must stand on the screen before the keys are typed. */
  readonly waitFor?: string;
  readonly keys?: string;
}

async function onTerminal(
  argv: readonly string[],
  { columns = 80, term = 'xterm-256color', waitFor = '', keys = '' }: Terminal = {},
): Promise<{ readonly shown: string; readonly status: number }> {
  const env = { TERM: term, AUTHCLI_CONFIG: config, CI: '', NO_COLOR: '', FORCE_COLOR: '' };
  const args = [script, String(columns), waitFor, keys, process.execPath, bin, ...argv];
  const { stdout, stderr } = await start('python3', args, { env }).ended;
  assert.equal(stderr, '');
  return JSON.parse(stdout) as { shown: string; status: number };
}

const refused = ['--url', 'http://127.0.0.1:1/', '--ptn-cd', 'u'];

describe('on a terminal', { concurrency: true }, () => {
  it('Ctrl-C ends the command behind --, and all that it has started', async () => {
    const command = 'sleep 300 & echo pid $! $$ $(echo ready); wait';
    const { shown, status } = await onTerminal(['emulate', 'app', '--', 'sh', '-c', command], {
      waitFor: 'ready',
      keys: '\\x03',
    });
    assert.equal(status, 130, shown);
    const pids = /pid (\d+) (\d+)/.exec(shown)?.slice(1).map(Number) ?? [];
    assert.equal(pids.length, 2, shown);
    assert.deepEqual(pids.filter(isRunning), []);
  });

  it('the command behind -- may ask', async () => {
    const command = [
      'emulate',
      'app',
      '--',
      'sh',
      '-c',
      'echo name?; read name; echo "I am $name"',
    ];
    const { shown, status } = await onTerminal(command, { waitFor: 'name?', keys: 'bob\\n' });
    assert.match(shown, /I am bob/);
    assert.equal(status, 0);
  });

  it('a command that prints a secret may ask', async () => {
    const ask = `cmd:sh -c 'echo password? >&2; read p; echo "$p$p"'`;
    const { shown } = await onTerminal(['encrypt', 'text', '--key', ask], {
      waitFor: 'password?',
      keys: '0123456789abcdef\\n',
    });
    assert.match(shown, /[A-Za-z0-9+/]{43}=/);
  });

  it('Ctrl-C ends a run that waits for what is typed', async () => {
    const token = `cmd:sh -c 'echo ready >&2; echo t'`;
    const argv = ['signin', '--ptn-token', token, '--secret-key', '-', '--client-id', 'c'];
    const { shown, status } = await onTerminal([...argv, '--auth-url', 'http://127.0.0.1:1'], {
      waitFor: 'ready',
      keys: '\\x03',
    });
    assert.equal(status, 130, shown);
  });

  for (const [argv, status] of [
    [['demo'], 0],
    [['cipher', 'list'], 0],
    [['simulate-signup', ...refused], 3],
    [['verify', ...refused.slice(0, 2)], 3],
    [['doctor'], 0],
  ] as const) {
    it(`${argv.join(' ')} writes no escape where TERM is dumb, and goes into 20 columns`, async () => {
      const dumb = await onTerminal(argv, { term: 'dumb', columns: 20 });
      assert.equal(dumb.status, status, dumb.shown);
      assert.equal(dumb.shown.includes('\u001b'), false, dumb.shown);
      const clever = await onTerminal(argv, { columns: 20 });
      assert.equal(clever.status, status, clever.shown);
    });
  }
});
