import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResult } from '../../src/conformance/result.ts';
import { givenUsers } from '../../src/conformance/test-data.ts';
import { decryptions, startHandWritten } from '../support/hand-written-application.ts';
import { newRun, type RunChanges } from './support.ts';

type Application = Parameters<typeof startHandWritten>[0];

const ids = ['registration/answers-success', 'registration/without-user-info'];

/** The two checks of a registration, run against a hand-written application. */
async function verify(application: Application, changes: RunChanges = {}): Promise<RunResult> {
  const { url, close } = await startHandWritten(application);
  return newRun(url, { check: ids, ...changes })
    .start()
    .finally(close);
}

/** Why each of them failed. */
async function diagnosesOf(application: Application, changes: RunChanges = {}) {
  const { checks } = await verify(application, changes);
  return checks.map(({ fault }) => fault?.diagnosis);
}

const misreadings = {
  ecb: 'aes-256-ecb',
  hexKey: 'aes-128-cbc?key=hex',
} as const;

describe('a registration that fails in verify', () => {
  for (const [name, brief] of Object.entries(misreadings)) {
    it(`is explained by the cipher that the application decrypts: ${brief}`, async () => {
      const [first, second] = await diagnosesOf({
        decrypt: decryptions[name as keyof typeof misreadings],
      });
      assert.equal(first?.code, 'cipher-mismatch');
      assert.ok(first.message.startsWith(`The application decrypts ${brief}`), first.message);
      assert.match(first.calls.java ?? '', /AES\/CBC\/PKCS5Padding/);
      assert.deepEqual(second, first);
    });
  }

  it('is explained by the key that the application stores', async () => {
    const [first] = await diagnosesOf({
      decrypt: decryptions.right,
      makeKey: () => 'AbCdEfGhIjKlMnOpQrStUvWxYz012345',
      stored: (key) => key.toLowerCase(),
    });
    assert.equal(first?.code, 'wrong-key');
  });

  it('keeps its own diagnosis where the cipher is not the cause', async () => {
    const body = JSON.stringify({ code: '9999', message: 'no such table: users' });
    const run = await verify({
      decrypt: decryptions.right,
      stored: () => 'x'.repeat(32),
      onError: () => ({ status: 200, body }),
    });
    const [first] = run.checks;
    assert.equal(first?.fault?.diagnosis?.code, 'code-not-success');
    assert.equal(first.fault.diagnosis.evidence?.situation, 'schema-missing');
    assert.ok(run.users.every((code) => !code.includes('probe')));
  });

  it('invents no users where codes are given', async () => {
    const users = givenUsers(['alice', 'bob']);
    const { checks, users: used } = await verify({ decrypt: decryptions.ecb }, { users });
    assert.equal(checks[0]?.fault?.diagnosis?.code, 'bad-padding');
    assert.ok(used.every((code) => users.forCheck('', 2)?.includes(code)));
  });

  it('names the test users of the probe among the users of the run', async () => {
    const { users } = await verify({ decrypt: decryptions.ecb });
    assert.ok(users.some((code) => code.startsWith('authcli-probe-')));
  });
});
