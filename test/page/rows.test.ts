import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { simulateSignup } from '../../src/client/signup.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import type { EmulatorRequest } from '../../src/emulator/http.ts';
import { watchedCall, watchedSignup } from '../../src/page/watched.ts';
import { clientId, keyExchange, newApplication, post } from '../emulator/support.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { type MemoryResponse, memoryTransport } from '../support/memory-transport.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { row } from './support.ts';

const keyPair = await keyPairSource()();
const refused = diagnosis('refused', 'Nobody listens at localhost:8080.', 'Start it.');
const { catalogue } = newApplication().application.faults;

async function received(request: EmulatorRequest, ...faults: readonly string[]) {
  const { application, call } = newApplication();
  for (const name of faults) application.faults.switchOn({ name });
  const recorded = { ...(await call(request)), seq: 1, request, receivedAt: 5, durationMs: 2 };
  return watchedCall(recorded, catalogue, defaultCipher).row;
}

/** The sign-up whose first callback gets this response. */
const signUp = (response: MemoryResponse) =>
  simulateSignup(
    memoryTransport(() => response),
    {
      url: new URL('http://localhost:8080/callback'),
      clientId,
      ptnCd: 'alice',
      keyPair,
      superPasscode: Secret.text('passcode'),
      cipher: defaultCipher,
      randomBytes: seededBytes('rows'),
    },
  );

describe('the row of a call that was received', () => {
  it('says who asked for what, and how it ended', async () => {
    const { id: _, ...right } = row({ at: 5, durationMs: 2 });
    assert.deepEqual(await received(keyExchange('alice')), right);
  });

  it('says why it was refused', async () => {
    const { what, ptnCd, code, outcome, diagnosis: why } = await received(post('nonsense'));
    const refusal = ['POST /callback', null, 'A101', 'bad', 'not-json'];
    assert.deepEqual([what, ptnCd, code, outcome, why], refusal);
  });

  it('names the fault that acted, and what it does', async () => {
    const { outcome, faults, remark } = await received(keyExchange(), 'hex');
    const title = catalogue.find(({ name }) => name === 'hex')?.title;
    assert.deepEqual([outcome, faults, remark], ['fault', ['hex'], title]);
  });

  it('has no status where the connection was broken off', async () => {
    const { outcome, status, code } = await received(keyExchange(), 'reset');
    assert.deepEqual([outcome, status, code], ['none', null, null]);
  });
});

describe('the row of a callback that was sent', () => {
  it('says what is wrong with the response', async () => {
    const json = { code: '0000', message: '', result: {} };
    const [sent = assert.fail()] = watchedSignup(await signUp({ json }));
    const { way, what, status, code, outcome, diagnosis: why, remark } = sent.row;
    const wrong = ['out', 'key-exchange', 200, '0000', 'bad', 'field-missing'];
    assert.deepEqual([way, what, status, code, outcome, why], wrong);
    const causes = sent.causes().map((each) => [each.kind, each.message]);
    assert.deepEqual(causes, [['failure', remark]]);
  });

  it('has no status where nothing responded', async () => {
    const [sent = assert.fail()] = watchedSignup(await signUp({ failure: refused }));
    const { status, outcome, diagnosis: why } = sent.row;
    assert.deepEqual([status, outcome, why], [null, 'none', 'refused']);
    const causes = sent.causes().map((each) => [each.code, each.hint]);
    assert.deepEqual(causes, [['refused', 'Start it.']]);
  });

  it('blames what ended the sign-up, where the response alone is right', async () => {
    const { steps, ...outcome } = await signUp({ failure: refused });
    const right = () => steps.map((step) => ({ ...step, ok: true, diagnosis: undefined }));
    const whole = diagnosis('cipher-mismatch', 'It does not fit.', 'Set it.');
    const all = watchedSignup({ ...outcome, steps: [...right(), ...right()], diagnosis: whole });
    const causes = all.map((each) => [
      each.row.diagnosis,
      ...each.causes().map(({ code }) => code),
    ]);
    assert.deepEqual(causes, [[null], ['cipher-mismatch', 'cipher-mismatch']]);
  });
});
