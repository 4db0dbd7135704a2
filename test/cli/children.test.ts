import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstLineOfCommand, type ParentProcess } from '../../src/cli/process/children.ts';
import { AuthcliError } from '../../src/errors.ts';

function firstLine(script: string, hasTerminal: boolean, timeoutMs?: number): Promise<string> {
  const { signal } = new AbortController();
  const parent: ParentProcess = {
    env: process.env,
    hasTerminal,
    pid: process.pid,
    os: process.platform,
    kill: (pid, name) => process.kill(pid, name),
    atExit: () => () => {},
  };
  return firstLineOfCommand({ command: 'sh', args: ['-c', script], signal, timeoutMs }, parent);
}

describe('the first line of a command', () => {
  it('is without its line end, and the rest is dropped', async () => {
    assert.equal(await firstLine("printf 'one\\r\\ntwo\\n'", false), 'one');
  });

  it('is refused where it is far too long for a secret, however much follows', async () => {
    const long = 'head -c 70000 /dev/zero | tr "\\0" x; head -c 5000000 /dev/zero';
    await assert.rejects(firstLine(long, false), /first line has more than 64 KiB/);
  });

  it('of one that takes too long is a failure that says so', async () => {
    await assert.rejects(firstLine('sleep 60', false, 20), /It didn't end within 0\.02 s/);
  });

  for (const script of ['exit 130', 'kill -INT $$']) {
    it(`of one that Ctrl-C ended on a terminal is an interruption (${script})`, async () => {
      await assert.rejects(
        firstLine(script, true),
        (error) => error instanceof AuthcliError && error.code === 'interrupted',
      );
    });

    it(`of one that ended so elsewhere is a failure (${script})`, async () => {
      await assert.rejects(firstLine(script, false), /^Error: It exited with status 130\. /);
    });
  }
});
