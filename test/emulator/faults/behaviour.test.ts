import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { behaviourFaults } from '../../../src/emulator/faults/behaviour.ts';
import type { EmulatorRequest } from '../../../src/emulator/http.ts';
import {
  encrypt,
  json,
  keyExchange,
  newApplication,
  newKeyPair,
  post,
  registration,
} from '../support.ts';

type RunEnvironment = ReturnType<typeof newApplication>;

const register = (emulator: RunEnvironment, key: string, ptnCd?: string, ubifill?: string) =>
  emulator.send(registration(encrypt('s'.repeat(64), key), ptnCd, { ubifill }));

/** The second user overwrites the key of the first. */
async function confuses(emulator: RunEnvironment, first: string, second: string): Promise<void> {
  const [key] = [await emulator.exchange(first), await emulator.exchange(second)];
  assert.equal((await register(emulator, key, first)).code, 'A108');
}

/** A request that is refused without the fault, and the response with it. */
const accepted: Readonly<Record<string, (key: string) => EmulatorRequest>> = {
  'accepts-missing-field': () => keyExchange('user-1', { public_key: undefined }),
  'accepts-bad-public-key': () => keyExchange('user-1', { public_key: 'abc' }),
  'accepts-foreign-client': () => keyExchange('user-1', { client_id: 'other' }),
  'accepts-missing-passcode': () => registration('', 'user-1', { partner_sp: undefined }),
  'never-decrypts': () => registration('abc'),
  'accepts-unknown-user': () => registration('abc', 'nobody'),
  'accepts-unknown-used-type': () => keyExchange('user-1', { used_type: '3' }),
  'accepts-malformed-json': () => post('{"client_id":'),
};

/** A request that is accepted without the fault. */
const refused: Readonly<Record<string, (key: string) => EmulatorRequest>> = {
  'refuses-unknown-fields': () => keyExchange('user-1', { extra: 'x' }),
  'requires-user-info': (key) => registration(encrypt('secret', key)),
  'refuses-user-info': (key) =>
    registration(encrypt('secret', key), 'user-1', { ubifill: encrypt('{}', key) }),
  'fails-on-large-keys': () =>
    keyExchange('user-1', { public_key: newKeyPair(3072).publicKeyText }),
};

const others: Readonly<Record<string, (emulator: RunEnvironment) => Promise<void>>> = {
  'keeps-first-key': async (emulator) => {
    const [first, second] = [await emulator.exchange(), await emulator.exchange()];
    assert.notEqual(first, second);
    assert.equal((await register(emulator, second)).code, 'A108');
    assert.equal((await register(emulator, first)).code, '0000');
  },
  'one-slot-for-all': async (emulator) => {
    const [a, b] = [await emulator.exchange('a'), await emulator.exchange('b')];
    assert.equal((await register(emulator, a, 'a')).code, 'A108');
    assert.equal((await register(emulator, b, 'b')).code, '0000');
  },
  'folds-case': async (emulator) => {
    const [large] = [await emulator.exchange('A'), await emulator.exchange('a')];
    assert.equal((await register(emulator, large, 'A')).code, 'A108');
  },
  'cuts-user-code': async (emulator) => {
    const [long, longer] = ['u'.repeat(20), 'u'.repeat(21)];
    const [key] = [await emulator.exchange(long), await emulator.exchange(longer)];
    assert.equal((await register(emulator, key, long)).code, 'A108');
  },
  'user-code-in-ascii': async (emulator) => {
    await confuses(emulator, 'é', 'ü');
  },
  'user-code-in-latin-1': (emulator) => confuses(emulator, '가', '나'),
  'user-code-in-utf8mb3': (emulator) => confuses(emulator, '😀', '😁'),
  'drops-marks': (emulator) => confuses(emulator, 'e\u0323', 'e\u0331'),
  'normalises-user-code': (emulator) => confuses(emulator, '\u00e9', 'e\u0301'),
  'forgets-users': async (emulator) => {
    assert.equal((await register(emulator, await emulator.exchange())).code, 'A107');
  },
  'crashes-on-malformed-json': async (emulator) => {
    const { response } = await emulator.call(post('{'));
    assert.equal(response.status, 500);
    assert.match(Buffer.from(response.body).toString(), /SyntaxError/);
    assert.equal((await emulator.exchange()).length, 32);
  },
  'dies-of-bad-input': async (emulator) => {
    assert.equal((await emulator.exchange()).length, 32);
    await emulator.call(post('{'));
    const { response } = await emulator.call(keyExchange());
    assert.deepEqual(response.delivery, { breakOff: 'reset' });
  },
};

describe('faults of behaviour', () => {
  for (const [name, ask] of Object.entries(accepted)) {
    it(`${name} does what it says`, async () => {
      const { application, send, call, exchange } = newApplication();
      const request = ask(await exchange());
      assert.notEqual((await send(request)).code, '0000');
      application.faults.switchOn({ name });
      const { response, facts } = await call(request);
      assert.equal(json(response).code, '0000');
      assert.deepEqual(facts.faults, [name]);
    });
  }

  for (const [name, ask] of Object.entries(refused)) {
    it(`${name} does what it says`, async () => {
      const { application, send, exchange } = newApplication();
      const request = ask(await exchange());
      application.faults.switchOn({ name, times: 1 });
      assert.match(String((await send(request)).code), /^A1/);
      assert.equal((await send(ask(await exchange()))).code, '0000');
    });
  }

  for (const [name, prove] of Object.entries(others)) {
    it(`${name} does what it says`, async () => {
      const emulator = newApplication();
      emulator.application.faults.switchOn({ name });
      await prove(emulator);
    });
  }

  it('accepts-foreign-client does the work all the same', async () => {
    const { application, wrapped } = newApplication();
    application.faults.switchOn({ name: 'accepts-foreign-client' });
    assert.equal((await wrapped(keyExchange('user-1', { client_id: 'x' }))).length, 344);
    assert.equal(application.users.get('user-1')?.key.reveal().length, 32);
  });

  it('one of a key exchange accepts with something that looks like a wrapped key', async () => {
    const { application, wrapped } = newApplication();
    application.faults.switchOn({ name: 'accepts-bad-public-key' });
    assert.equal((await wrapped(keyExchange('user-1', { public_key: 'x' }))).length, 344);
  });

  it('are all tested here', () => {
    const tested = [accepted, refused, others].flatMap(Object.keys);
    assert.deepEqual(tested.sort(), behaviourFaults.map(({ name }) => name).sort());
  });
});
