import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCipher } from '../../../src/crypto/cipher-notation.ts';
import { decryptBytes, encryptPayload } from '../../../src/crypto/payload-ciphers.ts';
import { createApplication, handleCallback } from '../../../src/emulator/application.ts';
import { cipherFaults } from '../../../src/emulator/faults/ciphers.ts';
import { seededBytes } from '../../support/seeded-bytes.ts';
import { clientId, json, keyExchange, registration, unwrap } from '../support.ts';

const randomBytes = seededBytes('ciphers');

const text = Buffer.from('0123456789ab');

/** The code of a registration under the fault, and without it; `make` gives the payload's bytes. */
async function codesUnder(
  name: string,
  notation: string,
  make: (key: string) => Uint8Array,
): Promise<readonly [unknown, unknown]> {
  const environment = { now: Date.now, randomBytes };
  const app = createApplication({ clientId, cipher: parseCipher(notation), environment });
  const send = async (request: Parameters<typeof handleCallback>[0]) =>
    json((await handleCallback(request, app)).response);
  const { result } = (await send(keyExchange())) as { result: { enc_partner_key: string } };
  const payload = Buffer.from(make(unwrap(result.enc_partner_key))).toString('base64');
  const without = await send(registration(payload));
  app.faults.switchOn({ name });
  return [without.code, (await send(registration(payload))).code];
}

/** The text under a cipher, in bytes. */
const sealed = (notation: string, iv?: Uint8Array) => (key: string) =>
  Buffer.from(
    encryptPayload(text, key, parseCipher(notation), (size) => iv ?? randomBytes(size)),
    'base64',
  );

/** A block without a padding. */
const noise = (key: string) => {
  const cipher = parseCipher('aes-256-cbc?iv=zero&padding=none');
  return Buffer.from(encryptPayload(Buffer.alloc(16, 0xff), key, cipher, randomBytes), 'base64');
};

/** A block that has a padding when it is decrypted with itself as the IV, or has none. */
const ivUnderItself = (fits: boolean) => (key: string) => {
  const cipher = parseCipher('aes-256-cbc');
  for (;;) {
    const iv = randomBytes(16);
    if (decryptBytes(Buffer.concat([iv, iv]), key, cipher).ok === fits) return iv;
  }
};

const wrongTag = (key: string) => {
  const payload = sealed('aes-256-gcm')(key);
  return payload.map((octet, at) => (at === payload.length - 1 ? octet ^ 1 : octet));
};

const [yes, no] = ['0000', 'A108'];
const highCounter = Buffer.alloc(16, 0xff).fill(7, 0, 8);

const rows = [
  ['ignores-iv', 'default', sealed('aes-256-cbc?iv=zero'), [no, yes]],
  ['key-as-iv', 'default', sealed('aes-256-cbc?iv=key-head'), [no, yes]],
  ['keeps-iv', 'default', ivUnderItself(true), [no, yes]],
  ['keeps-iv', 'default', ivUnderItself(false), [no, no]],
  ['fixed-iv', 'default', sealed('default', Buffer.alloc(16, 0x80)), [yes, no]],
  ['fixed-iv', 'default', sealed('default', Buffer.alloc(16)), [yes, yes]],
  ['first-block-as-iv', 'aes-256-cbc?iv=zero', noise, [no, yes]],
  ['narrow-counter', 'aes-256-ctr', sealed('aes-256-ctr', highCounter), [yes, no]],
  ['narrow-counter', 'aes-256-ctr', sealed('aes-256-ctr', Buffer.alloc(16)), [yes, yes]],
  ['ignores-tag', 'aes-256-gcm', wrongTag, [no, yes]],
] as const;

describe('faults of the cipher', () => {
  for (const [name, cipher, make, expected] of rows) {
    it(`${name} does what it says under ${cipher}: ${expected.join(', ')}`, async () => {
      assert.deepEqual(await codesUnder(name, cipher, make), expected);
    });
  }

  it('are all tested here', () => {
    const tested = [...new Set<string>(rows.map(([name]) => name))];
    assert.deepEqual(tested.sort(), cipherFaults.map(({ name }) => name).sort());
  });
});
