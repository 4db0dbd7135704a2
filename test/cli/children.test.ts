import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstLineOfCommand } from '../../src/cli/process/children.ts';
import { AuthcliError } from '../../src/errors.ts';

function firstLine(script: string, hasTerminal: boolean): Promise<string> {
  const { signal } = new AbortController();
  return firstLineOfCommand('sh', ['-c', script], signal, { hasTerminal });
}

describe('the first line of a command', () => {
  it('is without its line end, and the rest is dropped', async () => {
    assert.equal(await firstLine("printf 'one\\r\\ntwo\\n'", false), 'one');
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
