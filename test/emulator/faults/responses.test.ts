import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { responseFaults } from '../../../src/emulator/faults/responses.ts';
import type { EmulatorRequest } from '../../../src/emulator/http.ts';
import { encrypt, keyExchange, newApplication, post, registration } from '../support.ts';

type Response = Record<string, unknown>;

/** The text of the response under a fault: to a key exchange, or to a request made from the key. */
async function underFault(name: string, ask?: (key: string) => EmulatorRequest) {
  const { application, call, exchange } = newApplication();
  const request = ask?.(await exchange()) ?? keyExchange();
  application.faults.switchOn({ name });
  const { response, facts } = await call(request);
  assert.deepEqual(facts.faults, [name]);
  return Buffer.from(response.body).toString();
}

const register = (key: string) => registration(encrypt('secret', key));
const names = (response: Response) => Object.keys(response).join(' ');

const ofKeyExchange: Readonly<Record<string, (response: Response) => void>> = {
  'code-number': ({ code }) => assert.equal(code, 0),
  'code-missing': (response) => assert.equal(names(response), 'message result'),
  'code-200': ({ code }) => assert.equal(code, '200'),
  'code-renamed': (response) => {
    assert.equal(names(response), 'resultCode message result');
    assert.equal(response.resultCode, '0000');
  },
  'message-missing': (response) => assert.equal(names(response), 'code result'),
  'message-null': ({ message }) => assert.equal(message, null),
  'result-missing': (response) => assert.equal(names(response), 'code message'),
  'result-null': ({ result }) => assert.equal(result, null),
  'result-string': ({ result }) => assert.match(String(result), /^\{"enc_partner_key":"/),
  'result-array': ({ result }) => assert.ok(Array.isArray(result)),
  'result-renamed': (response) => assert.equal(names(response), 'code message data'),
  'wrapped-key-missing': ({ result }) => assert.deepEqual(result, {}),
  'wrapped-key-at-top': (response) => assert.equal(names(response), 'code message enc_partner_key'),
  'wrapped-key-renamed': ({ result }) => assert.equal(names(result as Response), 'encPartnerKey'),
  'wrapped-key-bytes': ({ result }) => {
    const { enc_partner_key: bytes } = result as { enc_partner_key: number[] };
    assert.equal(bytes.length, 256);
  },
};

const ofRegistration: Readonly<Record<string, Response>> = {
  'registration-code-number': { code: 0, message: '' },
  'registration-message-missing': { code: '0000' },
  'registration-code-1': { code: '1', message: '' },
};

const ofErrors: Readonly<Record<string, (response: Response) => void>> = {
  'error-code-number': ({ code }) => assert.equal(code, 9999),
  'error-message-missing': (response) => assert.equal(names(response), 'code'),
};

const ofBodies: Readonly<Record<string, RegExp>> = {
  'answer-array': /^\[\{"code":"0000".*\}\]$/,
  'single-quotes': /^\{'code':'0000','message':'','result':\{'enc_partner_key':'/,
  'warning-before-json': /^Warning: undefined index\n\{"code":"0000"/,
};

describe('faults of the response', () => {
  for (const [name, prove] of Object.entries(ofKeyExchange)) {
    it(`${name} does what it says to a key exchange`, async () => {
      prove(JSON.parse(await underFault(name)));
    });
  }

  for (const [name, response] of Object.entries(ofRegistration)) {
    it(`${name} does what it says to a registration`, async () => {
      assert.deepEqual(JSON.parse(await underFault(name, register)), response);
    });
  }

  for (const [name, prove] of Object.entries(ofErrors)) {
    it(`${name} does what it says to a refusal`, async () => {
      prove(JSON.parse(await underFault(name, () => post('hello'))));
    });
  }

  for (const [name, text] of Object.entries(ofBodies)) {
    it(`${name} does what it says to the body`, async () => {
      assert.match(await underFault(name), text);
    });
  }

  it('of one callback leave the other one alone', async () => {
    const { application, call, exchange } = newApplication();
    const key = await exchange();
    application.faults.switchOn({ name: 'code-number' });
    const { response, facts } = await call(register(key));
    assert.equal(Buffer.from(response.body).toString(), '{"code":"0000","message":""}');
    assert.deepEqual(facts.faults, []);
  });

  it('are all tested here', () => {
    const tested = [ofKeyExchange, ofRegistration, ofErrors, ofBodies].flatMap(Object.keys);
    assert.deepEqual(tested.sort(), responseFaults.map(({ name }) => name).sort());
  });
});
