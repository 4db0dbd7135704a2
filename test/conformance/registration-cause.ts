import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { RunResult } from '../../src/conformance/result.ts';
import { decryptions, startHandWritten } from '../support/hand-written-application.ts';
import { newRun, type RunChanges } from './support.ts';

type Application = Parameters<typeof startHandWritten>[0];

const ids = ['registration/answers-success', 'registration/without-user-info'];

/** The two checks of a registration, run against a hand-written application. */
export async function verify(
  application: Application,
  changes: RunChanges = {},
): Promise<RunResult> {
  const { url, close } = await startHandWritten(application);
  return newRun(url, { check: ids, ...changes })
    .start()
    .finally(close);
}

/** Why each of them failed. */
export async function diagnosesOf(application: Application, changes: RunChanges = {}) {
  const { checks } = await verify(application, changes);
  return checks.map(({ fault }) => fault?.diagnosis);
}

const misreadings = {
  ecb: 'aes-256-ecb',
  zeroIv: 'aes-256-cbc?iv=zero',
  gcm: 'aes-256-gcm',
  key128: 'aes-128-cbc',
  hexKey: 'aes-128-cbc?key=hex',
} as const;

/** Tests the hand-written application with each of these wrong decryptions. */
export function isExplainedByTheCipher(...names: readonly (keyof typeof misreadings)[]): void {
  for (const name of names) {
    const brief = misreadings[name];
    it(`is explained by the cipher that the application decrypts: ${brief}`, async () => {
      const [first, second] = await diagnosesOf({ decrypt: decryptions[name] });
      assert.equal(first?.code, 'cipher-mismatch');
      assert.ok(first.message.startsWith(`The application decrypts ${brief}`), first.message);
      assert.match(first.calls.java ?? '', /AES\/CBC\/PKCS5Padding/);
      assert.deepEqual(second, first);
    });
  }
}
