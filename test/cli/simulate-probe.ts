import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { decryptions, startHandWritten } from '../support/hand-written-application.ts';
import { type RunEnvironment, run } from '../support/run.ts';

export type Application = Parameters<typeof startHandWritten>[0];

const folder = mkdtempSync(join(tmpdir(), 'authcli-simulate-probe-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let configs = 0;

export function freshConfig(): string {
  configs += 1;
  return join(folder, String(configs), 'config.json');
}

export async function signUp(
  application: Application,
  flags: readonly string[],
  environment: Partial<RunEnvironment> = {},
) {
  const { url, close } = await startHandWritten(application);
  const argv = ['simulate-signup', '--url', url.href, ...flags];
  return run(argv, { configFile: freshConfig(), ...environment }).finally(close);
}

export async function probed(application: Application, flags: readonly string[] = []) {
  const { status, stdout, stderr } = await signUp(application, ['--probe', '--json', ...flags]);
  return { status, stderr, ...JSON.parse(stdout) };
}

const mismatches = [
  ['ecb', 'aes-256-ecb', 'aes-256-ecb?key=utf8&padding=pkcs7&encoding=base64'],
  ['zeroIv', 'aes-256-cbc?iv=zero', 'aes-256-cbc?key=utf8&iv=zero&padding=pkcs7&encoding=base64'],
  ['gcm', 'aes-256-gcm', 'aes-256-gcm?key=utf8&iv=prefix&encoding=base64&tag=suffix&ivlen=12'],
  ['key128', 'aes-128-cbc', 'aes-128-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64'],
  ['hexKey', 'aes-128-cbc?key=hex', 'aes-128-cbc?key=hex&iv=prefix&padding=pkcs7&encoding=base64'],
] as const;

/** Tests the hand-written application with each of these wrong decryptions. */
export function namesTheCipher(...chosen: readonly (typeof mismatches)[number][0][]): void {
  for (const [name, brief, cipher] of mismatches.filter(([name]) => chosen.includes(name))) {
    it(`names ${brief} as what the application decrypts, and the call that decrypts what was sent`, async () => {
      const { status, error } = await probed({ decrypt: decryptions[name] });
      assert.equal(status, 1);
      assert.equal(error.code, 'cipher-mismatch');
      assert.ok(error.message.startsWith(`The application decrypts ${brief}`), error.message);
      assert.equal(error.evidence.fitting_cipher, cipher);
      assert.match(error.calls.node, /'aes-256-cbc', key, raw\.subarray\(0, 16\)/);
    });
  }
}
