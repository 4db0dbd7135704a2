import assert from 'node:assert/strict';
import { constants, createPublicKey, privateDecrypt, publicEncrypt } from 'node:crypto';
import { describe, it } from 'node:test';
import { encodeEmeOaep, type OaepHash } from '../../../src/emulator/faults/oaep.ts';
import { wrappingFaults } from '../../../src/emulator/faults/wrapping.ts';
import { seededBytes } from '../../support/seeded-bytes.ts';
import {
  encodedMessage,
  keyExchange,
  keyPair,
  newApplication,
  newKeyPair,
  unwrap,
} from '../support.ts';

const randomBytes = seededBytes('wrapping');

/** What `enc_partner_key` is under a fault, and the key that the application keeps. */
async function underFault(name: string) {
  const { application, wrapped } = newApplication();
  application.faults.switchOn({ name });
  const text = await wrapped();
  return { text, key: application.users.get('user-1')?.key.reveal() ?? '' };
}

const bytesOf = (text: string) => Buffer.from(text, 'base64');

function openOaep(ciphertext: Uint8Array, oaepHash: string): string {
  const { privateKey: key } = keyPair;
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  return privateDecrypt({ key, padding, oaepHash }, ciphertext).toString();
}

/** The key is nowhere in the block; that one is well padded all the same, by chance, once in 100,000. */
function assertUnreadable(text: string, key: string, pair = keyPair): void {
  const { n = '' } = createPublicKey(pair.privateKey).export({ format: 'jwk' });
  const isBelow = Buffer.compare(bytesOf(text), Buffer.from(n, 'base64url')) < 0;
  if (isBelow) assert.ok(!encodedMessage(bytesOf(text), pair).includes(key));
}

/** How each fault's text still leads to the key, or what it is. */
const proofs: Readonly<Record<string, (text: string, key: string) => void>> = {
  'oaep-sha1': (text, key) => assert.equal(openOaep(bytesOf(text), 'sha1'), key),
  'oaep-sha256': (text, key) => assert.equal(openOaep(bytesOf(text), 'sha256'), key),
  'oaep-sha512': (text, key) => assert.equal(openOaep(bytesOf(text), 'sha512'), key),
  'oaep-sha256-mgf1-sha1': (text, key) => {
    assert.throws(() => openOaep(bytesOf(text), 'sha256'));
    const block = encodedMessage(bytesOf(text));
    assert.equal(block[0], 0);
    assert.ok(!block.includes(key));
  },
  'no-padding': (text, key) => {
    const block = encodedMessage(bytesOf(text));
    assert.equal(block.subarray(-32).toString(), key);
    assert.ok(block.subarray(0, -32).every((octet) => octet === 0));
  },
  'pkcs1-type-1': (text, key) => {
    const block = encodedMessage(bytesOf(text));
    assert.deepEqual([...block.subarray(0, 2)], [0, 1]);
    assert.ok(block.subarray(2, -33).every((octet) => octet === 0xff));
    assert.equal(block.subarray(-33).toString(), `\0${key}`);
  },
  'other-public-key': (text, key) => {
    assert.equal(bytesOf(text).length, 256);
    assertUnreadable(text, key);
  },
  'ciphertext-reversed': (text, key) =>
    assert.equal(unwrap(bytesOf(text).reverse().toString('base64')), key),
  'ciphertext-short': (text) => assert.equal(bytesOf(text).length, 255),
  'ciphertext-signed': (text, key) => {
    assert.equal(bytesOf(text)[0], 0);
    assert.equal(unwrap(bytesOf(text).subarray(1).toString('base64')), key);
  },
  'utf8-mangled': (text) => assert.ok(bytesOf(text).includes('\ufffd')),
  'plain-key': (text, key) => assert.equal(text, key),
  'base64-of-plain-key': (text, key) => assert.equal(bytesOf(text).toString(), key),
  base64url: (text, key) => {
    assert.match(text, /^[\w-]{342}$/);
    assert.equal(unwrap(Buffer.from(text, 'base64url').toString('base64')), key);
  },
  hex: (text, key) => {
    assert.match(text, /^[0-9a-f]{512}$/);
    assert.equal(unwrap(Buffer.from(text, 'hex').toString('base64')), key);
  },
  'line-breaks': (text, key) => {
    assert.deepEqual(
      text.split('\r\n').map((line) => line.length),
      [76, 76, 76, 76, 40],
    );
    assert.equal(unwrap(text.replaceAll('\r\n', '')), key);
  },
  'line-breaks-64': (text, key) => {
    assert.deepEqual(
      text.split('\n').map((line) => line.length),
      [64, 64, 64, 64, 64, 24],
    );
    assert.equal(unwrap(text.replaceAll('\n', '')), key);
  },
  'double-base64': (text, key) => assert.equal(unwrap(bytesOf(text).toString()), key),
  'space-for-plus': (text, key) => {
    assert.match(text, / /);
    assert.equal(unwrap(text.replaceAll(' ', '+')), key);
  },
  'json-quoted': (text, key) => assert.equal(unwrap(JSON.parse(text)), key),
  'not-base64': (text) => assert.match(text, /^\[B@/),
  'unpadded-base64': (text, key) => {
    assert.doesNotMatch(text, /=/);
    assert.equal(unwrap(`${text}==`), key);
  },
  'trailing-newline': (text, key) => {
    assert.match(text, /\n$/);
    assert.equal(unwrap(text.trimEnd()), key);
  },
};

describe('faults of the wrapping', () => {
  for (const [name, prove] of Object.entries(proofs)) {
    it(`${name} does what it says`, async () => {
      const { text, key } = await underFault(name);
      assert.match(key, /^[A-Za-z0-9]{32}$/);
      prove(text, key);
    });
  }

  it('earlier-public-key wraps with the first key that came', async () => {
    const { application, wrapped } = newApplication();
    application.faults.switchOn({ name: 'earlier-public-key' });
    assert.equal(unwrap(await wrapped()).length, 32);
    const other = newKeyPair();
    const text = await wrapped(keyExchange('user-1', { public_key: other.publicKeyText }));
    const key = application.users.get('user-1')?.key.reveal() ?? '';
    assert.equal(unwrap(text), key);
    assertUnreadable(text, key, other);
  });

  it('public-key-of-user wraps with the first key that came for the user', async () => {
    const { application, wrapped } = newApplication();
    application.faults.switchOn({ name: 'public-key-of-user' });
    await wrapped();
    const other = newKeyPair();
    const ask = (ptnCd: string) => wrapped(keyExchange(ptnCd, { public_key: other.publicKeyText }));
    assert.equal(unwrap(await ask('user-1')).length, 32);
    assert.equal(unwrap(await ask('user-2'), other).length, 32);
  });

  it('are all tested here', () => {
    const names = wrappingFaults.map(({ name }) => name).sort();
    const tested = [...Object.keys(proofs), 'earlier-public-key', 'public-key-of-user'];
    assert.deepEqual(tested.sort(), names);
  });
});

describe('EME-OAEP (RFC 8017 7.1.1)', () => {
  const { privateKey } = keyPair;
  const publicKey = createPublicKey(privateKey);
  for (const hash of ['sha1', 'sha256', 'sha384', 'sha512'] satisfies OaepHash[]) {
    it(`with ${hash} and a label is opened by node:crypto`, () => {
      const options = { hash, label: 'label' };
      const block = encodeEmeOaep(Buffer.from('message'), 256, randomBytes, options);
      assert.ok(block);
      const raw = publicEncrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, block);
      const padding = constants.RSA_PKCS1_OAEP_PADDING;
      const oaep = { key: privateKey, padding, oaepHash: hash, oaepLabel: Buffer.from('label') };
      assert.equal(privateDecrypt(oaep, raw).toString(), 'message');
    });
  }

  it('takes the longest message, and none that is longer', () => {
    const encode = (length: number) =>
      encodeEmeOaep(new Uint8Array(length), 128, randomBytes, { hash: 'sha256' });
    assert.equal(encode(62)?.length, 128);
    assert.equal(encode(63), undefined);
  });

  it('too large for the modulus leaves the wrapping right', async () => {
    const { application, call } = newApplication();
    application.faults.switchOn({ name: 'oaep-sha512' });
    const small = newKeyPair(1024);
    const { facts } = await call(keyExchange('u', { public_key: small.publicKeyText }));
    assert.deepEqual([facts.code, facts.faults], ['0000', []]);
  });
});
