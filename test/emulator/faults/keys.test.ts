import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { keyFaults } from '../../../src/emulator/faults/keys.ts';
import { json, keyExchange, newApplication, startOfTime, unwrap } from '../support.ts';

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** `enc_partner_key` and the stored key, for `calls` exchanges of user-1 and one of user-2. */
async function keysUnder(name: string) {
  const { application, exchange } = newApplication();
  application.faults.switchOn({ name });
  const wrapped = [await exchange(), await exchange(), await exchange('user-2')];
  return { wrapped, kept: application.users.get('user-2')?.key.reveal() ?? '' };
}

const proofs: Readonly<Record<string, (wrapped: readonly string[], kept: string) => void>> = {
  'key-of-16': ([first = '']) => assert.match(first, /^[A-Za-z0-9]{16}$/),
  'key-of-33': ([first = '']) => assert.match(first, /^[A-Za-z0-9]{33}$/),
  'key-hex-of-32-bytes': ([first = '']) => assert.match(first, /^[0-9a-f]{64}$/),
  'key-base64-of-32-bytes': ([first = '']) => assert.match(first, /^[A-Za-z0-9+/]{43}=$/),
  'key-raw-bytes': ([first = '']) => assert.match(first, /^\ufffd/),
  'key-quoted': ([, , last], kept) => assert.equal(last, `"${kept}"`),
  'key-trailing-newline': ([, , last], kept) => assert.equal(last, `${kept}\n`),
  'key-utf16': ([, , last], kept) => assert.equal(last, [...kept].join('\0').concat('\0')),
  'key-constant': (wrapped) => assert.deepEqual([...wrapped], Array(3).fill('0'.repeat(32))),
  'one-key-for-all': (wrapped, kept) => assert.deepEqual([...wrapped], Array(3).fill(kept)),
  // md5sum of "user-1", by coreutils.
  'key-from-user-code': ([first, second]) => {
    assert.equal(first, 'd6d7705392bc7af633328bea8c4c6904');
    assert.equal(second, first);
  },
  'key-padded-user-code': ([first]) => assert.equal(first, `user-1${'0'.repeat(26)}`),
  'key-from-time': ([first]) => assert.equal(first, String(startOfTime).padStart(32, '0')),
  'key-from-counter': (wrapped) => assert.deepEqual(wrapped.map(Number), [1, 2, 3]),
  'key-hash-of-time': ([first]) => assert.equal(first, md5(`${startOfTime}`)),
  'key-from-code-and-time': ([first]) => assert.equal(first, md5(`user-1${startOfTime}`)),
  'key-padded-with-spaces': ([first = '']) => assert.match(first, /^[A-Za-z0-9]{12} {20}$/),
  'key-from-pool': ([first, second]) => assert.notEqual(first, second),
  'key-low-entropy': ([first = '', second]) => {
    assert.match(first, /^01[01]{30}$/);
    assert.notEqual(first, second);
  },
  'key-repeated': ([first, second, third]) => {
    assert.equal(second, first);
    assert.notEqual(third, first);
  },
};

const leaks: Readonly<Record<string, (key: string) => string>> = {
  'leaks-key-in-result': (key) => `"partner_key":"${key}"`,
  'leaks-key-in-message': (key) => `"message":"key=${key}"`,
  'leaks-key-in-hex': (key) => `"debug":"${Buffer.from(key).toString('hex')}"`,
  'leaks-key-in-header': (key) => `"x-debug-key":"${key}"`,
};

describe('faults of the key', () => {
  for (const [name, prove] of Object.entries(proofs)) {
    it(`${name} does what it says`, async () => {
      const { wrapped, kept } = await keysUnder(name);
      prove(wrapped, kept);
    });
  }

  for (const [name, trace] of Object.entries(leaks)) {
    it(`${name} does what it says, and returns the key all the same`, async () => {
      const { application, call } = newApplication();
      application.faults.switchOn({ name });
      const { response } = await call(keyExchange());
      const key = application.users.get('user-1')?.key.reveal() ?? '';
      const text = `${JSON.stringify(response.headers)}${Buffer.from(response.body)}`;
      assert.ok(text.includes(trace(key)), text);
      const { result } = json(response);
      assert.equal(unwrap((result as { enc_partner_key: string }).enc_partner_key), key);
    });
  }

  it('key-from-pool gives 16 keys again and again', async () => {
    const { application, exchange } = newApplication();
    application.faults.switchOn({ name: 'key-from-pool' });
    const keys = new Set<string>();
    for (let call = 0; call < 40; call += 1) keys.add(await exchange(`user-${call % 3}`));
    assert.equal(keys.size, 16);
  });

  it('leaks-earlier-key shows the key of before', async () => {
    const { application, exchange, send } = newApplication();
    application.faults.switchOn({ name: 'leaks-earlier-key' });
    const first = await exchange();
    assert.equal((await send(keyExchange())).old_key, first);
  });

  it('are all tested here', () => {
    const names = keyFaults.map(({ name }) => name).sort();
    const tested = [...Object.keys(proofs), ...Object.keys(leaks), 'leaks-earlier-key'];
    assert.deepEqual(tested.sort(), names);
  });
});
