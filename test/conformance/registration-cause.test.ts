import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { givenUsers } from '../../src/conformance/test-data.ts';
import { decryptions } from '../support/hand-written-application.ts';
import { diagnosesOf, isExplainedByTheCipher, verify } from './registration-cause.ts';

describe('a registration that fails in verify', () => {
  isExplainedByTheCipher('ecb', 'hexKey');

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
