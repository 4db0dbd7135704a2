import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { CheckDocument } from '../../src/reports/verify-document.ts';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-misreading-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Uses an application that decrypts wrongly, as long as it takes. */
export async function withApplication<T>(
  [command, ...args]: readonly [string, ...string[]],
  use: (url: string) => Promise<T>,
): Promise<T> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  try {
    return await use(`http://127.0.0.1:${port.toString().trim()}/callback`);
  } finally {
    child.kill();
  }
}

const readings = [
  ['ecb', 'aes-256-ecb'],
  ['zero-iv', 'aes-256-cbc?iv=zero'],
  ['gcm', 'aes-256-gcm'],
  ['key-128', 'aes-128-cbc'],
  ['hex-key', 'aes-128-cbc?key=hex'],
] as const;

/** Tests that the wrong decryption of an application written by hand is named, with `call` as the fix. */
export function describeMisreadings(
  language: string,
  command: readonly [string, ...string[]],
  call: RegExp,
) {
  describe(`An application in ${language} that decrypts wrongly`, () => {
    for (const [reading, cipher] of readings) {
      it(`is explained by simulate-signup and verify: ${cipher}`, async () => {
        const environment = { configFile: join(folder, language, reading, 'config.json') };
        await withApplication([...command, reading], async (url) => {
          const argv = ['simulate-signup', '--url', url, '--probe'];
          const { status, stderr } = await run(argv, environment);
          const text = stderr.replace(/\s+/g, ' ');
          assert.equal(status, 1);
          assert.ok(text.includes(`cause: The application decrypts ${cipher};`), stderr);
          assert.match(text, call);
          const check = ['--check', 'registration/answers-success', '--json'];
          const { stdout } = await run(['verify', '--url', url, ...check], environment);
          const { checks } = JSON.parse(stdout);
          assert.equal(checks[0].diagnosis.code, 'cipher-mismatch');
          assert.ok(checks[0].diagnosis.message.startsWith(`The application decrypts ${cipher};`));
        });
      });
    }

    it('is explained by simulate-signup and verify: the stored key in lower case', async () => {
      const environment = { configFile: join(folder, language, 'lower-key', 'config.json') };
      await withApplication([...command, 'lower-key'], async (url) => {
        const argv = ['simulate-signup', '--url', url, '--probe', '--json'];
        const { error } = JSON.parse((await run(argv, environment)).stdout);
        const check = ['--check', 'registration/answers-success', '--json'];
        const { stdout } = await run(['verify', '--url', url, ...check], environment);
        for (const found of [error, JSON.parse(stdout).checks[0].diagnosis]) {
          assert.equal(found.code, 'wrong-key');
          assert.match(found.message, /lower case/);
          assert.ok(Object.keys(found.calls).length > 0);
        }
      });
    });
  });
}

const accepting = [
  ['iv-kept', 'registration/uses-iv', 'cipher-mismatch', /begins with 16 bytes of noise/],
  ['unchecked-padding', 'registration/rejects-undecryptable', 'never-decrypts', /padding/],
] as const;

type SilentReading = (typeof accepting)[number][0];

/** Tests that the wrong decryption of an application that accepts every registration is named, and the fix. */
export function describeSilentMisreadings(
  language: string,
  use: <T>(reading: SilentReading, visit: (url: string) => Promise<T>) => Promise<T>,
  call: RegExp,
) {
  describe(`An application in ${language} that accepts what it decrypts wrongly`, () => {
    for (const [reading, check, code, cause] of accepting) {
      it(`fails ${check} of verify, which names the cause and the call first: ${reading}`, async () => {
        const configFile = join(folder, language, reading, 'config.json');
        const { status, stdout } = await use(reading, (url) =>
          run(['verify', '--url', url, '--json'], { configFile }),
        );
        assert.equal(status, 1);
        const failed = (JSON.parse(stdout).checks as readonly CheckDocument[]).filter(
          (each) => each.status === 'failed',
        );
        // An application that reads ubifill refuses its noise, so another check may fail before.
        const [first] = failed;
        assert.equal(first?.diagnosis?.code, code, stdout);
        assert.match(JSON.stringify(first?.diagnosis?.calls), call);
        const result = failed.find(({ id }) => id === check);
        assert.equal(result?.diagnosis?.code, code, stdout);
        assert.match(result?.diagnosis?.message ?? '', cause);
        assert.match(JSON.stringify(result?.diagnosis?.calls), call);
      });

      it(`is explained by simulate-signup --probe: ${reading}`, async () => {
        const configFile = join(folder, language, `${reading}-probe`, 'config.json');
        const { status, stdout } = await use(reading, (url) =>
          run(['simulate-signup', '--url', url, '--no-user-info', '--probe', '--json'], {
            configFile,
          }),
        );
        const { error } = JSON.parse(stdout);
        assert.equal(status, 1);
        assert.equal(error.code, code);
        assert.match(error.message, cause);
        assert.match(JSON.stringify(error.calls), call);
      });
    }
  });
}
