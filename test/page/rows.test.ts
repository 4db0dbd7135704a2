import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { simulateSignup } from '../../src/client/signup.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import type { EmulatorRequest } from '../../src/emulator/http.ts';
import { findingsOf } from '../../src/page/details.ts';
import { rowOf, type SentRecord } from '../../src/page/feed.ts';
import type { Row } from '../../src/page/wire.ts';
import { clientId, keyExchange, newApplication, post } from '../emulator/support.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { type MemoryResponse, memoryTransport } from '../support/memory-transport.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { row } from './support.ts';

const keyPair = await keyPairSource()();
const refused = diagnosis('refused', 'Nobody listens at localhost:8080.', 'Start it.');
const { catalogue } = newApplication().application.faults;
const sources = { explain: () => undefined, faults: catalogue, cipher: defaultCipher };

async function received(request: EmulatorRequest, ...faults: readonly string[]): Promise<Row> {
  const { application, call } = newApplication();
  for (const name of faults) application.faults.switchOn({ name });
  const recorded = { ...(await call(request)), seq: 1, request, receivedAt: 5, durationMs: 2 };
  return rowOf({ id: 7, way: 'in', call: recorded }, catalogue);
}

/** The first callback of a sign-up with this response. */
async function sent(response: MemoryResponse): Promise<SentRecord> {
  const { steps, key } = await simulateSignup(
    memoryTransport(() => response),
    {
      ...{ url: new URL('http://localhost:8080/callback'), clientId, ptnCd: 'alice', keyPair },
      ...{ superPasscode: Secret.text('passcode'), cipher: defaultCipher },
      randomBytes: seededBytes('rows'),
    },
  );
  const [step = assert.fail()] = steps;
  return { id: 9, way: 'out', step, ptnCd: 'alice', key };
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
    const record = await sent({ json: { code: '0000', message: '', result: {} } });
    const { way, what, status, code, outcome, diagnosis: why, remark } = rowOf(record, catalogue);
    const wrong = ['out', 'key-exchange', 200, '0000', 'bad', 'field-missing'];
    assert.deepEqual([way, what, status, code, outcome, why], wrong);
    const findings = findingsOf(record, sources).map((each) => [each.kind, each.observed]);
    assert.deepEqual(findings, [['failure', remark]]);
  });

  it('has no status where nothing responded', async () => {
    const record = await sent({ failure: refused });
    const { status, outcome, diagnosis: why } = rowOf(record, catalogue);
    assert.deepEqual([status, outcome, why], [null, 'none', 'refused']);
    const findings = findingsOf(record, sources).map((each) => [each.code, each.fix]);
    assert.deepEqual(findings, [['refused', 'Start it.']]);
  });

  it('blames what ended the sign-up, where the response alone is right', async () => {
    const { step, ...record } = await sent({ failure: refused });
    const whole = diagnosis('cipher-mismatch', 'It does not fit.', 'Set it.');
    const right = { ...step, ok: true, diagnosis: undefined };
    const shown = rowOf({ ...record, step: right, diagnosis: whole }, catalogue);
    assert.equal(shown.diagnosis, 'cipher-mismatch');
  });
});
