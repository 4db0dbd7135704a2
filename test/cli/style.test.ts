import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mayColour } from '../../src/cli/terminal/style.ts';
import { displayWidth } from '../../src/reports/human.ts';
import { fixtureRows } from '../support/fixtures.ts';
import { run } from '../support/run.ts';

const configFile = '/no-such-folder/config.json';
const terminal = { isTerminal: true, columns: 100, write: () => {} };
const pipe = { ...terminal, isTerminal: false };

describe('colour', () => {
  type Row = readonly [env: NodeJS.ProcessEnv, onTerminal: boolean, inPipe: boolean];
  for (const [env, onTerminal, inPipe] of fixtureRows<Row>('readings/colour.jsonl')) {
    it(`follows ${JSON.stringify(env)}`, () => {
      assert.equal(mayColour(terminal, env, false), onTerminal);
      assert.equal(mayColour(pipe, env, false), inPipe);
      assert.equal(mayColour(terminal, env, true), false);
    });
  }

  it('is in the output when it is forced, and not when it is switched off', async () => {
    const forced = { configFile, env: { FORCE_COLOR: '1' } };
    const { stdout } = await run(['cipher', 'list'], forced);
    assert.ok(stdout.includes('\u001b[1mdefault\u001b[22m'));
    const plain = await run(['cipher', 'list', '--no-color'], { ...forced, isTerminal: true });
    assert.ok(!plain.stdout.includes('\u001b'));
  });
});

describe('lines on a terminal', () => {
  /** What can't be broken: an address, a cipher, a value of the wire. */
  const pieces = /https?:|aes-256-cbc\?|MIIB|"[^" ]*"|authcli /;
  for (const columns of [40, 80, 120]) {
    it(`fit ${columns} columns`, async () => {
      for (const argv of [['demo'], [], ['verify', '--list']]) {
        const { status, stdout } = await run(argv, { configFile, isTerminal: true, columns });
        assert.equal(status, 0);
        const lines = stdout.split('\n');
        for (const line of lines)
          assert.ok(displayWidth(line) <= columns || pieces.test(line), line);
        assert.ok(lines.some((line) => displayWidth(line) > Math.min(columns, 100) / 2));
        assert.ok(!stdout.includes('[redacted]…'), 'what is hidden is not cut as well');
      }
    });
  }
});
