import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstLineOfCommand } from '../../src/cli/process/children.ts';
import { parentProcess } from '../support/run.ts';

function firstLine(script: string, hasTerminal: boolean, timeoutMs?: number): Promise<string> {
  const { signal } = new AbortController();
  const child = { command: 'sh', args: ['-c', script], signal, timeoutMs };
  return firstLineOfCommand(child, { ...parentProcess(), hasTerminal });
}

describe('the first line of a command', () => {
  it('is without its line end, and the rest is dropped', async () => {
    assert.equal(await firstLine("printf 'one\\r\\ntwo\\n'", false), 'one');
  });

  const long = 'head -c 70000 /dev/zero | tr "\\0" x; head -c 5000000 /dev/zero';
  const failures: readonly (readonly [script: string, hasTerminal: boolean, fault: object])[] = [
    [long, false, /first line has more than 64 KiB/],
    ['sleep 60', false, /It didn't end within 0\.0?2 s/],
    ['exit 130', true, { code: 'interrupted' }],
    ['kill -INT $$', true, { code: 'interrupted' }],
    ['exit 130', false, /^Error: It exited with status 130\. /],
    ['kill -INT $$', false, /^Error: It exited with status 130\. /],
  ];
  for (const [script, hasTerminal, fault] of failures) {
    it(`fails: ${script}${hasTerminal ? ' on a terminal' : ''}`, async () => {
      const limit = script.startsWith('sleep') ? 20 : undefined;
      await assert.rejects(firstLine(script, hasTerminal, limit), fault);
    });
  }
});
