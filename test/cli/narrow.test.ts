import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commands } from '../../src/cli/commands/index.ts';
import { displayWidth } from '../../src/reports/human.ts';
import { run } from '../support/run.ts';

const configFile = '/no-such-folder/config.json';
const onTerminal = (columns: number) => ({ configFile, isTerminal: true, columns });

/** What can't be broken: an address, a cipher, a value of the wire. */
const pieces = /https?:|aes-256-cbc\?|MIIB|"[^" ]*"|authcli /;

describe('terminals of any width', () => {
  for (const columns of [40, 60, 80, 120]) {
    it(`show the demo in ${columns} columns`, async () => {
      const { status, stdout } = await run(['demo'], onTerminal(columns));
      assert.equal(status, 0);
      for (const line of stdout.split('\n'))
        assert.ok(displayWidth(line) <= columns || pieces.test(line), line);
      assert.ok(!stdout.includes('[redacted]…'), 'what is hidden is not cut as well');
    });

    it(`show every command in ${columns} columns`, async () => {
      const { stdout } = await run([], onTerminal(columns));
      for (const line of stdout.split('\n')) assert.ok(displayWidth(line) <= columns, line);
      for (const { path } of commands) {
        const [first = '', second = ''] = path.split(' ');
        const isListed = stdout.includes(`\n  ${path}`) || stdout.includes(`\n  ${first} …`);
        assert.ok(isListed && stdout.includes(second), path);
      }
    });
  }

  it('get notes and warnings in whole words', async () => {
    const stop = new AbortController();
    const { stderr } = await run(['emulate', 'app', '--host', '0.0.0.0'], {
      ...onTerminal(40),
      signal: stop.signal,
      onStdout: () => stop.abort(),
    });
    assert.match(
      stderr,
      /^warning: the emulator listens on\n0\.0\.0\.0, where other machines can reach\n/,
    );
  });
});
