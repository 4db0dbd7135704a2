import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { decryptions, startHandWritten } from '../support/hand-written-application.ts';
import { applicationWith, newRun, type RunChanges, verifyDirectly } from './support.ts';

const success = 'registration/answers-success';

/** The diagnoses of the two checks of a registration against a hand-written application. */
async function verify(written: Parameters<typeof startHandWritten>[0], changes: RunChanges = {}) {
  const { url, close } = await startHandWritten(written);
  const run = newRun(url, { check: [success, 'registration/without-user-info'], ...changes });
  const { checks, users } = await run.start().finally(close);
  return { diagnoses: checks.map(({ fault }) => fault?.diagnosis), users };
}

describe('a registration that fails in verify', () => {
  it('is explained by the cipher that the application decrypts', async () => {
    const { diagnoses, users } = await verify({ decrypt: decryptions.hexKey });
    const [first, second] = diagnoses;
    assert.equal(first?.code, 'cipher-mismatch');
    assert.match(first.message, /^The application decrypts aes-128-cbc\?key=hex/);
    assert.match(first.calls.java ?? '', /AES\/CBC\/PKCS5Padding/);
    assert.deepEqual(second, first);
    assert.ok(users.some((code) => code.startsWith('authcli-probe-')));
  });

  it('is explained by the key that the application stores', async () => {
    const { diagnoses } = await verify({
      decrypt: decryptions.right,
      makeKey: () => 'AbCdEfGhIjKlMnOpQrStUvWxYz012345',
      stored: (key) => key.toLowerCase(),
    });
    assert.equal(diagnoses[0]?.code, 'wrong-key');
  });

  it('keeps its own diagnosis where the cipher is not the cause', async () => {
    const body = JSON.stringify({ code: '9999', message: 'no such table: users' });
    const { diagnoses, users } = await verify({
      decrypt: decryptions.right,
      stored: () => 'x'.repeat(32),
      onError: () => ({ status: 200, body }),
    });
    assert.equal(diagnoses[0]?.code, 'code-not-success');
    assert.equal(diagnoses[0].evidence?.situation, 'schema-missing');
    assert.ok(users.filter((code) => code.includes('probe')).length < 12);
  });

  it('invents no users where codes are given', async () => {
    const userCodes = ['alice', 'bob'];
    const { diagnoses, users } = await verify({ decrypt: decryptions.ecb }, { userCodes });
    assert.equal(diagnoses[0]?.code, 'bad-padding');
    assert.ok(users.every((code) => userCodes.includes(code)));
  });

  it('is of some users where plain sign-ups fail for some too, whatever the check varies', async () => {
    const isBad = (key?: string) => key && hash('md5', key).startsWith('0');
    const foundKey = (right?: string) => (isBad(right) ? '0'.repeat(32) : right);
    const handle = applicationWith({ foundKey }, { seed: 's8' });
    const { checks } = await verifyDirectly(handle, { check: ['registration/*', 'protocol/*'] });
    const faults = checks.flatMap(({ fault }) => fault?.diagnosis ?? []);
    assert.equal(faults.length, 2);
    for (const { code, message } of faults) {
      assert.equal(code, 'code-not-success');
      assert.match(message, /for 3 of 40 users, and that of authcli-\w+ again .* MD5 that begins/);
    }
  });

  it('is not examined in the production subset', async () => {
    const userCodes = ['authcli-production'];
    const { diagnoses, users } = await verify({ decrypt: decryptions.ecb }, { userCodes });
    assert.equal(diagnoses[0]?.evidence?.tried, undefined);
    assert.deepEqual(users, userCodes);
  });
});
