import assert from 'node:assert/strict';
import { createDecipheriv } from 'node:crypto';
import { describe, it } from 'node:test';
import { Secret } from '../../../src/crypto/secret.ts';
import { signinFaults } from '../../../src/emulator/faults/service.ts';
import { issuePtnToken } from '../../../src/emulator/tokens.ts';
import {
  authenticateCall,
  clientId,
  decrypt,
  newService,
  registeredUser,
  secretKey,
  startOfTime,
  tokenCall,
} from '../support.ts';

const key = registeredUser.key.reveal();
const superPasscode = registeredUser.superPasscode?.reveal() ?? '';
type RunEnvironment = ReturnType<typeof newService>;
type Result = Record<string, unknown>;

/** The response to /process/token under a fault. */
const ofToken: Readonly<Record<string, (response: Result, result: Result) => void>> = {
  'other-user': (_, { ptn_cd }) => assert.equal(ptn_cd, 'user-1-other'),
  'acs-token-number': (_, { acs_token }) => assert.equal(acs_token, 4711),
  'acs-token-missing': (_, result) =>
    assert.deepEqual(Object.keys(result), ['expire_dt', 'ptn_cd']),
  'expire-dt-iso': (_, { expire_dt }) => assert.equal(expire_dt, '2026-01-02T03:09:05'),
  'expire-dt-hour-24': (_, { expire_dt }) => assert.equal(expire_dt, '20260102240905'),
  'expire-dt-past': (_, { expire_dt }) => assert.equal(expire_dt, '20251231030405'),
  'expire-dt-missing': (_, result) =>
    assert.deepEqual(Object.keys(result), ['acs_token', 'ptn_cd']),
  'code-number': ({ code }) => assert.equal(code, 0),
  'message-missing': (response) => assert.deepEqual(Object.keys(response), ['code', 'result']),
  'result-missing': (response) => assert.deepEqual(Object.keys(response), ['code', 'message']),
  'refuses-token': ({ code }) => assert.equal(code, 'E201'),
};

/** The response to /process/authenticate under a fault. */
const ofAuthenticate: Readonly<Record<string, (response: Result, result: Result) => void>> = {
  'wrong-passcode': (_, { ptn_sp }) =>
    assert.equal(decrypt(String(ptn_sp), key), `${superPasscode}0`),
  'ptn-sp-other-cipher': (_, { ptn_sp }) => {
    const decipher = createDecipheriv('aes-256-ecb', key, null);
    const bytes = Buffer.from(String(ptn_sp), 'base64');
    const text = Buffer.concat([decipher.update(bytes), decipher.final()]).toString();
    assert.equal(text, superPasscode);
  },
  'ptn-sp-other-key': (_, { ptn_sp }) => {
    assert.match(String(ptn_sp), /^[A-Za-z0-9+/]{64}$/);
    let opened = '';
    try {
      opened = decrypt(String(ptn_sp), key);
    } catch {
      // The padding is right by chance once in 256 times; the text never is.
    }
    assert.notEqual(opened, superPasscode);
  },
  'ptn-sp-damaged': (_, { ptn_sp }) =>
    assert.throws(() => decrypt(String(ptn_sp), key), { code: 'ERR_OSSL_BAD_DECRYPT' }),
  'ptn-sp-garbled': (_, { ptn_sp }) => assert.match(String(ptn_sp), /^\{.*\}$/),
  'ptn-sp-missing': (_, result) => assert.deepEqual(result, {}),
  'ptn-sp-renamed': (_, { partner_sp }) =>
    assert.equal(decrypt(String(partner_sp), key), superPasscode),
  'refuses-authenticate': ({ code }) => assert.equal(code, 'E301'),
};

const code = async (response: Promise<Result>) => (await response).code;

const others: Readonly<Record<string, (emulator: RunEnvironment) => Promise<void>>> = {
  'acs-token-corrupted': async ({ send, acsToken }) =>
    assert.equal(await code(send(authenticateCall(await acsToken()))), 'E301'),
  'accepts-wrong-secret': async ({ send, ptnToken }) =>
    assert.equal(await code(send(tokenCall(ptnToken(), { secret_key: 'wrong' }))), '0000'),
  'accepts-wrong-secret-at-authenticate': async ({ send, ptnToken, acsToken }) => {
    const wrong = { secret_key: 'wrong' };
    assert.equal(await code(send(authenticateCall(await acsToken(), wrong))), '0000');
    assert.equal(await code(send(tokenCall(ptnToken(), wrong))), 'E104');
  },
  'accepts-any-ptn-token': async ({ send }) => {
    const options = { now: startOfTime - 3_600_000, randomBytes: () => new Uint8Array(12) };
    const old = issuePtnToken('user-1', { clientId, secretKey: Secret.text(secretKey) }, options);
    const { result } = await send(tokenCall(old));
    assert.equal((result as Result).ptn_cd, 'user-1');
    assert.equal(await code(send(tokenCall('made up'))), '0000');
  },
  'accepts-any-acs-token': async ({ send }) =>
    assert.equal(await code(send(authenticateCall('made up'))), '0000'),
  'accepts-used-acs-token': async ({ send, acsToken }) => {
    const token = await acsToken();
    await send(authenticateCall(token));
    const { result } = await send(authenticateCall(token));
    assert.equal(decrypt(String((result as Result).ptn_sp), key), superPasscode);
  },
  'accepts-expired-acs-token': async ({ send, acsToken, pass }) => {
    const token = await acsToken();
    pass(300_000);
    const { result } = await send(authenticateCall(token));
    assert.equal(decrypt(String((result as Result).ptn_sp), key), superPasscode);
  },
};

describe('faults of the service', () => {
  for (const [name, prove] of Object.entries(ofToken)) {
    it(`${name} does what it says`, async () => {
      const { service, send, ptnToken } = newService();
      service.faults.switchOn({ name });
      const response = await send(tokenCall(ptnToken()));
      prove(response, (response.result ?? {}) as Result);
    });
  }

  for (const [name, prove] of Object.entries(ofAuthenticate)) {
    it(`${name} does what it says`, async () => {
      const { service, send, acsToken } = newService();
      service.faults.switchOn({ name });
      const response = await send(authenticateCall(await acsToken()));
      prove(response, (response.result ?? {}) as Result);
    });
  }

  for (const [name, prove] of Object.entries(others)) {
    it(`${name} does what it says`, async () => {
      const emulator = newService();
      emulator.service.faults.switchOn({ name });
      await prove(emulator);
    });
  }

  it('are all tested here', () => {
    const tested = [ofToken, ofAuthenticate, others].flatMap(Object.keys);
    assert.deepEqual(tested.sort(), signinFaults.map(({ name }) => name).sort());
  });
});
