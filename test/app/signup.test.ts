import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signedUpUser, simulatedUser } from '../../src/app/signup.ts';
import type { SignupOutcome, SignupStep } from '../../src/client/signup.ts';
import { Secret } from '../../src/crypto/secret.ts';

const zeros = (size: number) => new Uint8Array(size);
const step = (usedType: '1' | '2', ok: boolean) => ({ usedType, ok }) as SignupStep;
const key = Secret.key('k'.repeat(32));

const recorder = () => {
  const values: (string | undefined)[] = [];
  const add = (value: string | Secret | undefined) => values.push(Secret.textOf(value));
  return { values, add, addFromPeer: add, addUserInfo: add };
};

describe('simulatedUser', () => {
  it('invents what is left out, and reports its secrets', () => {
    const secrets = recorder();
    const user = simulatedUser({}, zeros, secrets);
    assert.equal(user.ptnCd, 'authcli-000000000000');
    assert.equal(user.superPasscode.reveal().length, 24);
    assert.match(user.userInfo?.reveal() ?? '', /"email":"authcli-000000000000@example\.com"/);
    assert.ok(secrets.values.includes(user.superPasscode.reveal()));
    assert.ok(secrets.values.includes('authcli-000000000000@example.com'));
  });

  it('takes what is given: a whole text, attributes, or none', () => {
    const superPasscode = Secret.text('482913');
    const info = (userInfo: Parameters<typeof simulatedUser>[0]['userInfo']) =>
      simulatedUser({ ptnCd: 'alice', superPasscode, userInfo }, zeros).userInfo?.reveal();
    assert.equal(info(Secret.text('any text')), 'any text');
    assert.equal(info({ name: 'Alice' }), '{"name":"Alice"}');
    assert.equal(info(false), undefined);
  });
});

describe('signedUpUser', () => {
  const user = simulatedUser({ ptnCd: 'alice', superPasscode: Secret.text('482913') }, zeros);
  const after = (...steps: SignupStep[]) =>
    signedUpUser({ steps, key } satisfies Pick<SignupOutcome, 'steps' | 'key'>, user);

  it('is registered after both callbacks, with the passcode that was delivered', () => {
    const registered = after(step('1', true), step('2', true));
    assert.equal(registered?.state, 'registered');
    assert.equal(registered?.deliveredPasscode?.reveal(), '482913');
  });

  it('is known, without a passcode, after the key exchange alone', () => {
    assert.deepEqual(after(step('1', true), step('2', false)), {
      ptnCd: 'alice',
      key,
      state: 'known',
    });
  });

  it('is undefined after a key exchange that failed', () => {
    assert.equal(after(step('1', false)), undefined);
  });
});
