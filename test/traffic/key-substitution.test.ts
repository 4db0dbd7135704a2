import assert from 'node:assert/strict';
import {
  constants,
  createPrivateKey,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { generateKeyPairLike } from '../../src/client/key-pair.ts';
import { toRsaPrivateKey, toRsaPublicKey } from '../../src/crypto/rsa-key.ts';
import { rewrap, rewrapStrings, withOwnModulus } from '../../src/traffic/key-substitution.ts';
import { encodeLike } from '../../src/traffic/text-form.ts';

const pairOf = (file: string) => {
  const pem = readFileSync(`fixtures/keys/pool/${file}`);
  return { publicKey: createPublicKey(pem), privateKey: createPrivateKey(pem) };
};
const service = pairOf('2048-01.pem');
const own = pairOf('2048-02.pem');
const foreign = pairOf('2048-03.pem');
type Pair = typeof service;
const substituteFor = (real: Pair, ours: Pair) => ({
  service: toRsaPublicKey(real.publicKey),
  own: toRsaPrivateKey(ours.privateKey),
});
const substitute = substituteFor(service, own);
const key = 'per-user-key-0123456789-abcdefg';
const padding = constants.RSA_PKCS1_PADDING;
const wrap = ({ publicKey }: Pair, how = {}, message = Buffer.from(key)) =>
  publicEncrypt({ key: publicKey, padding, ...how }, message);
const unwrap = (ciphertext: Buffer, how = {}) =>
  privateDecrypt(
    { key: service.privateKey, padding: constants.RSA_NO_PADDING, ...how },
    ciphertext,
  );

/** Made by OpenSSL until its Base64 contains both characters that are written in several ways. */
function wrapped(): Buffer {
  const ciphertext = wrap(own);
  const text = ciphertext.toString('base64');
  return text.includes('/') && text.includes('+') ? ciphertext : wrapped();
}

const base64 = (bytes: Buffer) => bytes.toString('base64');
const fromBase64 = (text: string) => Buffer.from(text, 'base64');
const base64url = (bytes: Buffer) => bytes.toString('base64url');
const hex = (bytes: Buffer) => bytes.toString('hex');
const forms: [string, write: (bytes: Buffer) => string][] = [
  ['Base64', base64],
  ['Base64url', base64url],
  ['lines of 64', (bytes) => base64(bytes).replace(/.{64}/g, '$&\r\n')],
  ['a line end behind it', (bytes) => `${base64(bytes)}\n`],
  ['hexadecimal', hex],
  ['Base64 without padding', (bytes) => base64(bytes).replace(/=+$/, '')],
  ['padded Base64url', (bytes) => `${base64url(bytes)}==`],
  ['capital hexadecimal', (bytes) => hex(bytes).toUpperCase()],
];

describe('an encrypted key, encrypted again for the service', () => {
  const oaep = constants.RSA_PKCS1_OAEP_PADDING;
  for (const oaepHash of ['sha1', 'sha256']) {
    it(`keeps OAEP with ${oaepHash}`, () => {
      const how = { padding: oaep, oaepHash };
      const other = rewrap(base64(wrap(own, how)), [substitute]) ?? '';
      assert.equal(unwrap(fromBase64(other), how).toString(), key);
    });
  }

  for (const [name, write] of forms) {
    it(`keeps ${name}`, () => {
      for (let count = 0; count < 5; count += 1) {
        const other = rewrap(write(wrapped()), [substitute]) ?? '';
        const ciphertext = Buffer.from(other, name.includes('hexa') ? 'hex' : 'base64');
        assert.equal(write(ciphertext), other);
        const block = unwrap(ciphertext);
        assert.ok(block.subarray(0, 2).equals(Buffer.of(0, 2)) && block.toString().endsWith(key));
      }
    });
  }

  it('leaves alone what was encrypted for another key, no ciphertext, and plain text', () => {
    const others = [wrap(foreign), wrap(service), Buffer.alloc(200, 7), Buffer.alloc(32, 7)];
    for (const text of [...others.map(base64), key, '', 'x'.repeat(200)])
      assert.equal(rewrap(text, [substitute]), undefined);
  });

  it('finds the earlier substitute for which it was encrypted', () => {
    const other = rewrap(base64(wrap(own)), [substituteFor(foreign, foreign), substitute]) ?? '';
    assert.ok(unwrap(fromBase64(other)).toString().endsWith(key));
  });

  it('changes nothing else in a body', () => {
    const escaped = base64(wrapped()).replaceAll('/', '\\/').replaceAll('+', '\\u002B');
    const start = '\xef\xbb\xbf{ "a":"\\ud83d\\/\xe4", "result" :{"enc_partner_key":\t"';
    const end = '" }}}\n';
    const body = Buffer.from(`${start}${escaped}${end}`, 'latin1');
    const changed = rewrapStrings(body, [substitute])?.toString('latin1') ?? '';
    assert.ok(changed.startsWith(start) && changed.endsWith(end));
    assert.match(changed.slice(start.length, -end.length), /^[A-Za-z0-9+/]{342}==$/);
    assert.equal(rewrapStrings(Buffer.from('{"a":"b"}'), [substitute]), undefined);
  });
});

it("gives a public key the substitute's modulus, and leaves alone other forms", () => {
  const pem = ({ publicKey }: Pair, type: 'spki' | 'pkcs1') =>
    publicKey.export({ type, format: 'pem' }).toString();
  const der = ({ publicKey }: Pair) => base64(publicKey.export({ type: 'spki', format: 'der' }));
  const lines = (pair: Pair) => der(pair).replace(/.{76}/g, '$&\n');
  const forms = [der, lines, (pair: Pair) => pem(pair, 'spki'), (pair: Pair) => pem(pair, 'pkcs1')];
  for (const form of forms) assert.equal(withOwnModulus(form(service), substitute), form(own));
  const jwk = JSON.stringify(service.publicKey.export({ format: 'jwk' }));
  for (const text of [jwk, '']) assert.equal(withOwnModulus(text, substitute), undefined);
});

it('makes a key pair of the same size and exponent', async () => {
  const like = { modulusBits: 1040, publicExponent: 3n };
  const { modulusBits, publicExponent } = (await generateKeyPairLike(like)).publicKey;
  assert.deepEqual({ modulusBits, publicExponent }, like);
});

it('writes no bytes in the form of a text where they do not fit, or that has no such form', () => {
  for (const text of [base64(Buffer.alloc(256)), 'not an encoding!', ''])
    assert.equal(encodeLike(text, Buffer.alloc(12)), undefined);
  for (const form of [base64, hex])
    assert.equal(
      encodeLike(` ${form(Buffer.alloc(9))}`, Buffer.alloc(9, 7)),
      ` ${form(Buffer.alloc(9, 7))}`,
    );
});
