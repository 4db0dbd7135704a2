import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Example, withExample } from '../../support/example-application.ts';
import { run } from '../../support/run.ts';
import { startRelayCommand } from '../../support/side.ts';

const script = fileURLToPath(new URL('services/sign_up.py', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'relay-interop-'));
const users = ['alice', 'Bob Ünïcode', 'carol'];

const examples: Readonly<Record<string, Example>> = {
  Python: { folder: 'python', file: 'application.py', command: ['python3', 'application.py'] },
  Java: {
    folder: 'java',
    file: 'Application.java',
    command: ['java', '-cp', '/usr/share/java/gson.jar', 'Application.java'],
  },
};

/** The result of each sign-up of a service that is another program. */
async function signUps(url: string, keyArguments: readonly string[]) {
  const { stdout } = await promisify(execFile)('python3', [script, url, ...keyArguments, ...users]);
  return JSON.parse(stdout) as readonly { code: string; key: string | null }[];
}

async function relayed(to: string, argv: readonly string[], keyArguments: readonly string[]) {
  const configFile = join(mkdtempSync(join(scratch, 'run-')), 'config.json');
  const relay = await startRelayCommand(['--to', to, ...argv], { configFile });
  const results = await signUps(relay.callbackUrl, keyArguments);
  const exchanges = await relay.exchanges(results[0]?.key?.length === 32 ? 6 : 3);
  const { status, summary } = await relay.stop();
  const shown = await run(['users', 'export', '--json'], { configFile });
  return { results, exchanges, status, summary, stored: shown.stdout };
}

const base64 = ['base64', '2048', '65537'] as const;

describe('the relay between a service in Python', () => {
  for (const [name, example] of Object.entries(examples)) {
    it(`and an application in ${name} changes nothing for them, with --decrypt and without`, async () => {
      await withExample(example, scratch, {}, async (origin) => {
        const url = `${origin.replace(/\/$/, '')}/callback`;
        for (const argv of [[], ['--decrypt']]) {
          const { results, status, stored } = await relayed(url, argv, base64);
          assert.deepEqual(
            results.map(({ code }) => code),
            ['0000', '0000', '0000'],
          );
          assert.equal(status, 0);
          for (const { key } of results)
            assert.equal(stored.includes(String(key)), argv.length > 0);
        }
      });
    });
  }

  it('and an application in Python keeps sizes and exponents', async () => {
    await withExample(examples.Python as Example, scratch, {}, async (origin) => {
      const url = `${origin.replace(/\/$/, '')}/callback`;
      for (const keyArguments of [
        ['base64', '3072', '65537'],
        ['base64', '2047', '3'],
        ['lines', '2048', '65537'],
      ]) {
        const { results } = await relayed(url, ['--decrypt'], keyArguments);
        assert.deepEqual(
          results.map(({ code }) => code),
          ['0000', '0000', '0000'],
          keyArguments.join(' '),
        );
      }
    });
  });

  it('and an application that uses OAEP leaves the service what it can refuse', async () => {
    const changes = [
      ['padding.PKCS1v15()', 'padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)'],
    ] as const;
    const needs = 'from cryptography.hazmat.primitives import hashes';
    await withExample(examples.Python as Example, scratch, { changes, needs }, async (origin) => {
      const url = `${origin.replace(/\/$/, '')}/callback`;
      const { exchanges, status } = await relayed(url, ['--decrypt'], base64);
      const codes = exchanges.map(({ diagnoses }) => (diagnoses as { code: string }[])[0]?.code);
      assert.equal(codes.filter((code) => code === 'oaep-sha256').length, 3);
      assert.equal(status, 1);
    });
  });
});
