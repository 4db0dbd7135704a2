import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { simulateSignup } from '../../src/client/signup.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import type { EmulatorRequest } from '../../src/emulator/http.ts';
import { findingsOf } from '../../src/page/details.ts';
import { rowOf, type WatchedRecord } from '../../src/page/feed.ts';
import type { Row } from '../../src/page/wire.ts';
import { clientId, keyExchange, newApplication, post } from '../emulator/support.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { type MemoryResponse, memoryTransport } from '../support/memory-transport.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { row } from './support.ts';

const nextKeyPair = keyPairSource();
const randomBytes = seededBytes('rows');

const keyPair = await nextKeyPair();
const refused = diagnosis('refused', 'Nobody listens at localhost:8080.', 'Start it.');
const { application } = newApplication();
const { catalogue } = application.faults;
const titleOf = (fault: string) => catalogue.find(({ name }) => name === fault)?.title;
const sources = {
  explain: () => undefined,
  faults: application.faults.catalogue,
  cipher: defaultCipher,
};

async function received(request: EmulatorRequest, ...faults: readonly string[]): Promise<Row> {
  const { application: app, call } = newApplication();
  for (const name of faults) app.faults.switchOn({ name });
  const handled = await call(request);
  const recorded = { ...handled, seq: 1, request, receivedAt: 5, durationMs: 2 };
  return rowOf({ id: 7, way: 'in', call: recorded }, catalogue);
}

/** The first callback of a sign-up with this response. */
async function sent(response: MemoryResponse): Promise<WatchedRecord> {
  const outcome = await simulateSignup(
    memoryTransport(() => response),
    {
      url: new URL('http://localhost:8080/callback'),
      clientId,
      ptnCd: 'alice',
      keyPair,
      superPasscode: Secret.text('passcode'),
      cipher: defaultCipher,
      randomBytes,
    },
  );
  const [step] = outcome.steps;
  assert.ok(step);
  return { id: 9, way: 'out', step, ptnCd: 'alice', key: outcome.key };
}

describe('the row of a call that was received', () => {
  it('says who asked for what, and how it ended', async () => {
    const right = row({ id: 7, at: 5, durationMs: 2 });
    assert.deepEqual(await received(keyExchange('alice')), right);
  });

  it('says why it was refused', async () => {
    const { what, ptnCd, code, outcome, diagnosis: why } = await received(post('nonsense'));
    const refusal = ['POST /callback', null, 'A101', 'bad', 'not-json'];
    assert.deepEqual([what, ptnCd, code, outcome, why], refusal);
  });

  it('names the fault that acted, and what it does', async () => {
    const { outcome, faults, remark } = await received(keyExchange(), 'hex');
    assert.deepEqual([outcome, faults, remark], ['fault', ['hex'], titleOf('hex')]);
  });

  it('has no status where the connection was broken off', async () => {
    const { outcome, status, code } = await received(keyExchange(), 'reset');
    assert.deepEqual([outcome, status, code], ['none', null, null]);
  });
});

describe('the row of a callback that was sent', () => {
  it('says what is wrong with the response', async () => {
    const record = await sent({ json: { code: '0000', message: '', result: {} } });
    const { way, what, status, code, outcome, diagnosis: why, remark } = rowOf(record, catalogue);
    const wrong = ['out', 'key-exchange', 200, '0000', 'bad', 'field-missing'];
    assert.deepEqual([way, what, status, code, outcome, why], wrong);
    const [finding] = findingsOf(record, sources);
    assert.deepEqual([finding?.kind, finding?.code], ['failure', 'field-missing']);
    assert.equal(finding?.observed, remark);
  });

  it('has no status where nothing responded', async () => {
    const record = await sent({ failure: refused });
    const { status, outcome, diagnosis: why } = rowOf(record, catalogue);
    assert.deepEqual([status, outcome, why], [null, 'none', 'refused']);
    const [finding] = findingsOf(record, sources);
    assert.deepEqual([finding?.code, finding?.fix], ['refused', 'Start it.']);
  });

  it('blames what ended the sign-up, where the response alone is right', async () => {
    const record = await sent({ failure: refused });
    assert.ok(record.way === 'out');
    const whole = diagnosis('cipher-mismatch', 'It does not fit.', 'Set it.');
    const right = { ...record.step, ok: true, diagnosis: undefined };
    const shown = rowOf({ ...record, step: right, diagnosis: whole }, catalogue);
    assert.equal(shown.diagnosis, 'cipher-mismatch');
  });
});
