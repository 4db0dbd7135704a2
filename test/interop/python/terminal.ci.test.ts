import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { isRunning } from '../../support/program.ts';
import { keys, runOnTerminal, type Step } from '../../support/terminal.ts';

/*
 * The program on a real terminal, which Python's pty makes.
 */

const cwd = mkdtempSync(join(tmpdir(), 'authcli-terminal-'));
after(() => rmSync(cwd, { recursive: true, force: true }));

interface Terminal {
  readonly columns?: number;
  readonly term?: string;
}

const onTerminal = (
  argv: readonly string[],
  steps: readonly Step[],
  { columns = 80, term = 'xterm-256color' }: Terminal = {},
) => runOnTerminal(argv, steps, { cwd, columns, env: { TERM: term } });

const refused = ['--url', 'http://127.0.0.1:1/', '--ptn-cd', 'u'];

describe('on a terminal', { concurrency: true }, () => {
  it('Ctrl-C ends the command behind --, and all that it has started', async () => {
    const command = 'sleep 300 & echo pid $! $$ $(echo ready); wait';
    const argv = ['emulate', 'app', '--', 'sh', '-c', command];
    const { raw, status } = await onTerminal(argv, [['ready', keys.ctrlC]]);
    assert.equal(status, 130, raw);
    const pids = /pid (\d+) (\d+)/.exec(raw)?.slice(1).map(Number) ?? [];
    assert.equal(pids.length, 2, raw);
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
    const { raw, status } = await onTerminal(command, [['name?', `bob${keys.enter}`]]);
    assert.match(raw, /I am bob/);
    assert.equal(status, 0);
  });

  it('a command that prints a secret may ask', async () => {
    const ask = `cmd:sh -c 'echo password? >&2; read p; echo "$p$p"'`;
    const steps = [['password?', `0123456789abcdef${keys.enter}`]] as const;
    const { raw } = await onTerminal(['encrypt', 'text', '--key', ask], steps);
    assert.match(raw, /[A-Za-z0-9+/]{43}=/);
  });

  it('Ctrl-C ends a run that waits for what is typed', async () => {
    const token = `cmd:sh -c 'echo ready >&2; echo t'`;
    const service = ['--client-id', 'c', '--auth-url', 'http://127.0.0.1:1'];
    const argv = ['signin', '--ptn-token', token, '--secret-key', '-', ...service];
    const { raw, status } = await onTerminal(argv, [['ready', keys.ctrlC]]);
    assert.equal(status, 130, raw);
  });

  for (const [argv, status] of [
    [['demo'], 0],
    [['cipher', 'list'], 0],
    [['simulate-signup', ...refused], 3],
    [['verify', ...refused.slice(0, 2)], 3],
    [['doctor'], 0],
  ] as const) {
    it(`${argv.join(' ')} writes no escape where TERM is dumb, and goes into 20 columns`, async () => {
      const dumb = await onTerminal(argv, [], { term: 'dumb', columns: 20 });
      assert.equal(dumb.status, status, dumb.raw);
      assert.equal(dumb.raw.includes('\u001b'), false, dumb.raw);
      const clever = await onTerminal(argv, [], { columns: 20 });
      assert.equal(clever.status, status, clever.raw);
    });
  }
});
