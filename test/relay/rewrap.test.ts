import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, privateDecrypt, publicEncrypt } from 'node:crypto';
import { describe, it } from 'node:test';
import { toRsaPrivateKey, toRsaPublicKey } from '../../src/crypto/rsa-key.ts';
import { rewrap, rewrapStrings, withOwnModulus } from '../../src/relay/key-substitution.ts';

const makePair = () => generateKeyPairSync('rsa', { modulusLength: 1024 });
const [service, own, foreign] = [makePair(), makePair(), makePair()];
const substitute = {
  service: toRsaPublicKey(service.publicKey),
  own: toRsaPrivateKey(own.privateKey),
};
const key = 'per-user-key-0123456789-abcdefg';

/** Made by OpenSSL until its Base64 contains a character. */
function wrapped(...characters: readonly string[]): Buffer {
  for (;;) {
    const ciphertext = publicEncrypt(
      { key: own.publicKey, padding: constants.RSA_PKCS1_PADDING },
      Buffer.from(key),
    );
    const text = ciphertext.toString('base64');
    if (characters.every((character) => text.includes(character))) return ciphertext;
  }
}

/** Ciphertexts for the substitute, and how their block decrypts; made by OpenSSL. */
const wraps: Readonly<Record<string, { padding: number; oaepHash?: string; message?: Buffer }>> = {
  'OAEP with SHA-1': { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' },
  'OAEP with SHA-256': { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
  'no padding': {
    padding: constants.RSA_NO_PADDING,
    message: Buffer.concat([Buffer.alloc(96), Buffer.from('0123456789abcdefghijklmnopqrstuv')]),
  },
};

const forms: Readonly<Record<string, (bytes: Buffer) => string>> = {
  Base64: (bytes) => bytes.toString('base64'),
  Base64url: (bytes) => bytes.toString('base64url'),
  'lines of 64': (bytes) => bytes.toString('base64').replace(/.{64}/g, '$&\r\n'),
  'a line end behind it': (bytes) => `${bytes.toString('base64')}\n`,
  hexadecimal: (bytes) => bytes.toString('hex'),
  'Base64 twice': (bytes) => Buffer.from(bytes.toString('base64')).toString('base64'),
  'quotation marks': (bytes) => JSON.stringify(bytes.toString('base64')),
  'a whole object': (bytes) => JSON.stringify({ result: { key: bytes.toString('base64') } }),
  'spaces for plus': (bytes) => bytes.toString('base64').replaceAll('+', ' '),
  'reversed bytes': (bytes) => Buffer.from(bytes.toReversed()).toString('base64'),
};

/** The same forms read back by hand. */
const readers: Readonly<Record<string, (text: string) => Buffer>> = {
  Base64url: (text) => Buffer.from(text, 'base64url'),
  hexadecimal: (text) => Buffer.from(text, 'hex'),
  'Base64 twice': (text) => Buffer.from(Buffer.from(text, 'base64').toString(), 'base64'),
  'quotation marks': (text) => Buffer.from(JSON.parse(text), 'base64'),
  'a whole object': (text) => Buffer.from(JSON.parse(text).result.key, 'base64'),
  'spaces for plus': (text) => Buffer.from(text.replaceAll(' ', '+'), 'base64'),
  'reversed bytes': (text) => Buffer.from(Buffer.from(text, 'base64').toReversed()),
};

describe('an encrypted key, encrypted again for the service', () => {
  for (const [name, { message = Buffer.from(key), ...how }] of Object.entries(wraps)) {
    it(`keeps ${name}`, () => {
      const text = publicEncrypt({ key: own.publicKey, ...how }, message).toString('base64');
      const other = Buffer.from(rewrap(text, [substitute]) ?? '', 'base64');
      assert.deepEqual(privateDecrypt({ key: service.privateKey, ...how }, other), message);
    });
  }

  for (const [name, form] of Object.entries(forms)) {
    it(`keeps ${name}`, () => {
      for (let count = 0; count < 20; count += 1) {
        const text = form(wrapped('+'));
        const other = rewrap(text, [substitute]) ?? '';
        const read = readers[name] ?? ((given: string) => Buffer.from(given, 'base64'));
        const ciphertext = read(other);
        assert.equal(form(ciphertext), other);
        const padding = constants.RSA_NO_PADDING;
        const block = privateDecrypt({ key: service.privateKey, padding }, ciphertext);
        assert.ok(
          block.subarray(0, 2).equals(Buffer.from([0, 2])) && block.toString().endsWith(key),
        );
      }
    });
  }

  it('leaves alone what was encrypted for another key, no ciphertext, and plain text', () => {
    const padding = constants.RSA_PKCS1_PADDING;
    const texts = [
      publicEncrypt({ key: foreign.publicKey, padding }, Buffer.from(key)).toString('base64'),
      publicEncrypt({ key: service.publicKey, padding }, Buffer.from(key)).toString('base64'),
      Buffer.alloc(100, 7).toString('base64'),
      Buffer.alloc(32, 7).toString('base64'),
      key,
      '',
      'x'.repeat(200),
    ];
    for (const text of texts) assert.equal(rewrap(text, [substitute]), undefined);
  });

  it('finds the earlier substitute for which it was encrypted', () => {
    const later = {
      service: toRsaPublicKey(foreign.publicKey),
      own: toRsaPrivateKey(foreign.privateKey),
    };
    const padding = constants.RSA_PKCS1_PADDING;
    const text = publicEncrypt({ key: own.publicKey, padding }, Buffer.from(key)).toString(
      'base64',
    );
    const other = Buffer.from(rewrap(text, [later, substitute]) ?? '', 'base64');
    const block = privateDecrypt(
      { key: service.privateKey, padding: constants.RSA_NO_PADDING },
      other,
    );
    assert.ok(block.toString().endsWith(key));
  });

  it('changes nothing else in a body, and escapes as it was escaped', () => {
    // Which way a character is escaped shows only where the original has it.
    const text = wrapped('/', '+').toString('base64');
    const escaped = text.replaceAll('/', '\\/').replaceAll('+', '\\u002B');
    const around = (value: string) =>
      Buffer.from(
        `\ufeff{ "a":"\\ud83d\\/\xe4", "result" :{"enc_partner_key":\t"${value}" }}}\n`,
        'latin1',
      );
    const [start = '', end = ''] = around('|').toString('latin1').split('|');
    const changed = rewrapStrings(around(escaped), [substitute])?.toString('latin1') ?? '';
    assert.ok(changed.startsWith(start) && changed.endsWith(end));
    const value = changed.slice(start.length, -end.length);
    assert.doesNotMatch(value.replaceAll('\\/', '').replaceAll('\\u002B', ''), /[\\/+]/);
    assert.match(JSON.parse(`"${value}"`), /^[A-Za-z0-9+/]{171}=$/);
    assert.equal(rewrapStrings(Buffer.from('{"a":"b"}'), [substitute]), undefined);
  });
});

describe("a public key with the substitute's modulus", () => {
  const spki = service.publicKey.export({ type: 'spki', format: 'der' });
  const own64 = own.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  it('is in the form of the original', () => {
    const pem = (pair: typeof own, type: 'spki' | 'pkcs1') =>
      pair.publicKey.export({ type, format: 'pem' }).toString();
    assert.equal(withOwnModulus(spki.toString('base64'), substitute), own64);
    assert.equal(withOwnModulus(pem(service, 'spki'), substitute), pem(own, 'spki'));
    assert.equal(withOwnModulus(pem(service, 'pkcs1'), substitute), pem(own, 'pkcs1'));
    const lines = (text: string) => text.replace(/.{76}/g, '$&\n');
    assert.equal(withOwnModulus(lines(spki.toString('base64')), substitute), lines(own64));
  });

  it('is left alone in other forms', () => {
    assert.equal(
      withOwnModulus(JSON.stringify(service.publicKey.export({ format: 'jwk' })), substitute),
      undefined,
    );
    assert.equal(withOwnModulus('', substitute), undefined);
  });
});
