import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { run } from '../support/run.ts';
import { startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-leak-'));
let configs = 0;
const freshConfig = (): string => join(folder, String(configs++), 'config.json');

/** Runs a command against an application with this fault, `times` times. */
async function against(fault: string, command: readonly string[], times = 1) {
  const application = await startSide(['app', '--fault', fault], { configFile: freshConfig() });
  const configFile = freshConfig();
  const argv = [...command, '--url', application.url, '--ptn-cd', 'alice'];
  let result = await run(argv, { configFile });
  for (let count = 1; count < times; count += 1) result = await run(argv, { configFile });
  await application.stop();
  const { stdout: users } = await run(['users', 'show', 'alice'], { configFile });
  return { ...result, users };
}

describe('a leaked plain key', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const fault of [
    'leaks-key-in-result',
    'leaks-key-in-message',
    'leaks-key-in-hex',
    'leaks-key-in-header',
  ]) {
    for (const command of ['simulate-signup', 'simulate-key-exchange']) {
      it(`fails ${command}: ${fault}`, async () => {
        const { status, stdout, stderr } = await against(fault, [command]);
        assert.equal(status, 1);
        assert.match(stdout, /✗ key exchange/);
        assert.doesNotMatch(stdout, /registered;|The key of/);
        assert.match(stderr, /The response to the key exchange contains the per-user key/);
        const { stdout: json } = await against(fault, [command, '--json']);
        assert.equal((JSON.parse(json) as { error: { code: string } }).error.code, 'key-leaked');
      });
    }
  }

  it('is found in the second exchange where it is the key of before', async () => {
    for (const command of ['simulate-signup', 'simulate-key-exchange']) {
      const { status, stderr } = await against('leaks-earlier-key', [command], 2);
      assert.equal(status, 1);
      assert.match(stderr, /contains the per-user key/);
    }
  });

  it('is stored all the same, as the application has stored it', async () => {
    const { users } = await against('leaks-key-in-result', ['simulate-signup']);
    assert.match(users, /state\s+registered/);
  });
});
