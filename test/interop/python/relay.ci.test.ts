import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { withExample } from '../../support/example-application.ts';
import { run } from '../../support/run.ts';
import { startRelayCommand } from '../../support/side.ts';

const scratch = mkdtempSync(join(tmpdir(), 'relay-interop-'));
const users = ['alice', 'Bob Ünïcode', 'carol'];
const python = {
  folder: 'python',
  file: 'application.py',
  command: ['python3', 'application.py'],
} as const;
const gson = '/usr/share/java/gson.jar';
const java = {
  folder: 'java',
  file: 'Application.java',
  command: ['java', '-cp', gson, 'Application.java'],
} as const;

/** Signs users up by a service in Python through a relay to the application at that origin. */
async function relayed(origin: string, decrypts: boolean, keys = 'base64 2048 65537', count = 6) {
  const configFile = join(mkdtempSync(join(scratch, 'run-')), 'config.json');
  const to = ['--to', new URL('/callback', origin).href];
  const relay = await startRelayCommand([...to, ...(decrypts ? ['--decrypt'] : [])], {
    configFile,
  });
  const argv = ['test/interop/python/services/sign_up.py', relay.callbackUrl, ...keys.split(' ')];
  const { stdout } = await promisify(execFile)('python3', [...argv, ...users]);
  const results: readonly { code: string; key: string | null }[] = JSON.parse(stdout);
  const exchanges = await relay.exchanges(count);
  const { status } = await relay.stop();
  const stored = await run(['users', 'export', '--json'], { configFile });
  return {
    codes: results.map(({ code }) => code).join(),
    results,
    exchanges,
    status,
    stored: stored.stdout,
  };
}

const right = '0000,0000,0000';

describe('the relay between a service in Python', () => {
  for (const example of [python, java]) {
    it(`and an application in ${example.folder} changes nothing for them, with --decrypt and without`, async () => {
      await withExample(example, scratch, {}, async (origin) => {
        for (const decrypts of [false, true]) {
          const { codes, results, status, stored } = await relayed(origin, decrypts);
          assert.deepEqual([codes, status], [right, 0]);
          for (const { key } of results) assert.equal(stored.includes(String(key)), decrypts);
        }
      });
    });
  }

  it('and an application in Python keeps sizes and exponents', async () => {
    await withExample(python, scratch, {}, async (origin) => {
      for (const keys of ['base64 3072 65537', 'base64 2047 3', 'lines 2048 65537'])
        assert.equal((await relayed(origin, true, keys)).codes, right, keys);
    });
  });

  it('and an application that uses OAEP leaves the service what it can refuse', async () => {
    const oaep = 'padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)';
    const changes = [['padding.PKCS1v15()', oaep]] as const;
    const needs = 'from cryptography.hazmat.primitives import hashes';
    await withExample(python, scratch, { changes, needs }, async (origin) => {
      const { exchanges, status } = await relayed(origin, true, undefined, 3);
      const codes = exchanges.map(({ diagnoses }) => (diagnoses as { code: string }[])[0]?.code);
      assert.equal(codes.filter((code) => code === 'oaep-sha256').length, 3);
      assert.equal(status, 1);
    });
  });
});
