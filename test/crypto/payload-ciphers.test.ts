import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeHex, encodeBase64, encodeHex, encodeUtf8 } from '../../src/bytes.ts';
import {
  algorithmOf,
  type Cipher,
  formatCipher,
  isBlockMode,
  listCiphers,
  type Padding,
  type PayloadEncoding,
  parseCipher,
  payloadEncodings,
} from '../../src/crypto/cipher.ts';
import {
  decodePayload,
  decryptPayload,
  encodePayload,
  encryptPayload,
  pad,
  peekPlaintext,
  undecryptablePayload,
  unpad,
} from '../../src/crypto/payload-ciphers.ts';
import { fixtureRows } from '../support/fixtures.ts';
import { seededRandom } from '../support/seeded-random.ts';

/** A key that every reading takes: hexadecimal and Base64 of 32 bytes or more. */
const key = '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4';
const text = encodeUtf8('{"email":"kim@example.com","name":"임민수"}');
const ciphers = listCiphers();
const hex = (digits: string) => decodeHex(digits) ?? assert.fail(digits);

/** Repeatable bytes that differ from call to call. */
function countingBytes(): (size: number) => Uint8Array {
  let calls = 0;
  return (size) => createHash('shake256', { outputLength: size }).update(`${calls++}`).digest();
}

function encrypted(notation: string): string {
  return encryptPayload(text, key, parseCipher(notation), countingBytes());
}

describe('payload ciphers', () => {
  /** NIST SP 800-38A appendix F, one block or more. */
  const [ivFrom0, ivFromF0] = ['00', 'f0'].map((first) => {
    const bytes = Array.from({ length: 16 }, (_, index) => Number.parseInt(first, 16) + index);
    return `iv=hex:${encodeHex(Uint8Array.from(bytes))}`;
  });
  const block = '6bc1bee22e409f96e93d7e117393172a';
  const blocks = `${block}ae2d8a571e03ac9c9eb76fac45af8e51`;
  const cfb = 'dc7e84bfda79164b7ecd8486985d386039ffed143b28b1c832113c6331e5407b';
  const ctr = '601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5';
  const vectors = [
    ['aes-256-ecb', 'padding=none', block, 'f3eed1bdb5d2a03c064b5a7e3db181f8'],
    ['aes-256-cbc', `${ivFrom0}&padding=none`, block, 'f58c4c04d6e5f1ba779eabfb5f7bfbd6'],
    ['aes-256-cfb', ivFrom0, blocks, cfb],
    ['aes-256-ctr', ivFromF0, blocks, ctr],
  ] as const;
  it('make the published vectors', () => {
    for (const [algorithm, parts, plaintext, payload] of vectors) {
      const cipher = parseCipher(`${algorithm}?key=hex&encoding=hex&${parts}`);
      assert.equal(encryptPayload(hex(plaintext), key, cipher, countingBytes()), payload);
      const result = decryptPayload(payload, key, cipher);
      assert.equal(result.ok && encodeHex(result.plaintext), plaintext);
    }
  });

  it('decrypt what they encrypt, whatever the text, for every cipher of the notation', () => {
    for (const [index, cipher] of ciphers.entries()) {
      const plain = wholeEnough(index % 2 ? countingBytes()(index % 70) : text, cipher);
      const payload = encryptPayload(plain, key, cipher, countingBytes());
      const result = decryptPayload(payload, key, cipher);
      assert.ok(result.ok, formatCipher(cipher));
      assert.deepEqual(Buffer.from(result.plaintext), Buffer.from(plain), formatCipher(cipher));
    }
  });

  it('put the IV, the salt and the tag where the notation says', () => {
    const iv = encodeHex(countingBytes()(16));
    assert.equal(encrypted('aes-256-cbc?encoding=hex').slice(0, 32), iv);
    assert.match(encrypted('aes-256-cbc?key=evp-md5'), /^U2FsdGVkX1/);
    const suffix = encrypted('aes-256-gcm?encoding=hex');
    const afterIv = encrypted('aes-256-gcm?encoding=hex&tag=after-iv');
    assert.equal(afterIv, `${suffix.slice(0, 24)}${suffix.slice(-32)}${suffix.slice(24, -32)}`);
    const first = encrypted('aes-256-gcm?encoding=hex&tag=after-iv&iv=zero');
    const last = encrypted('aes-256-gcm?encoding=hex&iv=zero');
    assert.equal(first, `${last.slice(-32)}${last.slice(0, -32)}`);
    assert.equal(last.length, 2 * (text.length + 16));
  });

  it('are random where the notation says', () => {
    type Row = readonly [notation: string, results: number];
    for (const [notation, results] of fixtureRows<Row>('readings/payload-randomness.jsonl')) {
      const payloads = [1, 2].map((call) =>
        encryptPayload(text, key, parseCipher(notation), (size) => Buffer.alloc(size, call)),
      );
      assert.equal(new Set(payloads).size, results, notation);
    }
  });

  it('refuse to encrypt with what they can not use', () => {
    for (const [notation, withKey, message] of [
      ['aes-256-cbc', 'short', /key can't be used with this cipher: .* gives 5 bytes/],
      ['aes-256-cbc?padding=none', key, /must be a multiple of 16 bytes long; it has 46/],
    ] as const) {
      const encrypt = () => encryptPayload(text, withKey, parseCipher(notation), countingBytes());
      assert.throws(encrypt, { code: 'usage', message });
    }
  });
});

describe('the beginning of a plaintext', () => {
  it('is found without checking padding or tag', () => {
    for (const notation of ['aes-256-cbc', 'aes-256-gcm', 'aes-256-cfb', 'cryptojs-passphrase']) {
      const bytes = Buffer.from(encrypted(notation), 'base64');
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
      const head = peekPlaintext(bytes, key, parseCipher(notation), 16) ?? assert.fail(notation);
      assert.equal(encodeHex(head), encodeHex(text.subarray(0, 16)), notation);
    }
  });
});

describe('decryption that fails', () => {
  const random = (size: number) => encodeBase64(countingBytes()(size));
  const salted = encodeBase64(Buffer.concat([encodeUtf8('Salted__'), countingBytes()(24)]));
  const zeroPadded = encrypted('aes-256-cbc?padding=zero');
  const broken = /^24 bytes of ciphertext are not a multiple of the block of 16$/;
  const cases = [
    ['aes-256-cbc', 'käse', 'payload-encoding', /U\+00E4 is not a digit of Base64/],
    ['aes-256-cbc', '', 'payload-length', /^0 bytes, at least 16 are needed$/],
    ['aes-256-cbc', random(16), 'payload-length', /the ciphertext is empty/],
    ['aes-256-cbc', random(40), 'payload-length', broken],
    ['aes-256-cfb?padding=pkcs7', random(17), 'payload-length', /^1 bytes/],
    ['aes-256-gcm', random(27), 'payload-length', /^27 bytes, at least 28/],
    ['aes-256-cbc?key=evp-md5', random(32), 'salt-missing', /begin with "Salted__"/],
    ['aes-256-cbc?key=evp-md5', salted.slice(0, 20), 'payload-length', /at least 16/],
    ['aes-256-cbc', random(32), 'key-unusable', /gives 5 bytes/, 'short'],
    ['aes-128-cbc?key=hex', random(32), 'key-unusable', /can't be read as hex/, 'short'],
    ['aes-256-gcm', random(40), 'bad-tag', /the authentication tag does not fit/],
    ['aes-256-cbc', random(32), 'bad-padding', /the last byte is 0x[0-9a-f]{2}/],
    ['aes-256-cbc', zeroPadded, 'bad-padding', /^the plaintext ends in \d+ NUL bytes$/],
  ] as const;
  it('says why', () => {
    for (const [notation, payload, failure, detail, withKey = key] of cases) {
      const result = decryptPayload(payload, withKey, parseCipher(notation));
      assert.ok(!result.ok);
      assert.equal(result.failure, failure, detail.source);
      assert.match(result.detail, detail);
    }
  });

  it('takes no tag but the whole one', () => {
    const payload = encrypted('aes-256-gcm?encoding=hex');
    const flipped = [30, 0].map((at) => {
      const digit = payload[at] === '0' ? '1' : '0';
      return `${payload.slice(0, at)}${digit}${payload.slice(at + 1)}`;
    });
    for (const changed of [payload.slice(0, -2), payload.slice(0, -8), ...flipped]) {
      const result = decryptPayload(changed, key, parseCipher('aes-256-gcm?encoding=hex'));
      assert.equal(result.ok ? 'decrypted' : result.failure, 'bad-tag');
    }
  });
});

describe('a payload made to fail', () => {
  it('fails every time under a cipher that checks, and does not exist for another', () => {
    type Row = readonly [cipher: string, failure?: string];
    for (const [cipher, failure] of fixtureRows<Row>('readings/payloads-made-to-fail.jsonl')) {
      const { bytes } = seededRandom(cipher);
      for (let run = 0; run < 100; run += 1) {
        const payload = undecryptablePayload(key, parseCipher(cipher), bytes);
        const result =
          payload === undefined ? {} : decryptPayload(payload, key, parseCipher(cipher));
        assert.equal('failure' in result ? result.failure : payload, failure);
      }
    }
  });

  it('is not UTF-8 to an application that removes the padding unchecked', () => {
    const cipher = parseCipher('aes-256-cbc');
    const payload = undecryptablePayload(key, cipher, countingBytes()) ?? '';
    const padded = decryptPayload(payload, key, { ...cipher, padding: 'none' });
    assert.ok(padded.ok);
    assert.ok(padded.plaintext.subarray(0, -1).every((byte) => byte === 0xff));
    assert.equal(padded.plaintext.at(-1), 17);
    const make = () => undecryptablePayload('short', cipher, countingBytes());
    assert.throws(make, { code: 'usage' });
  });
});

describe('payload encoding', () => {
  const bytes = Buffer.of(0xfb, 0xff, 0x00, 0x41);
  type Row = readonly [encoding: PayloadEncoding, encoded: string];
  type Refused = readonly [...Row, detail: string];
  it('is read with white space and without padding, and nothing else, and written in one way', () => {
    for (const [encoding, encoded] of fixtureRows<Row>('readings/payload-encodings.jsonl')) {
      assert.deepEqual(decodePayload(encoded, encoding), { ok: true, bytes });
    }
    const written = payloadEncodings.map((encoding) => encodePayload(bytes, encoding));
    assert.deepEqual(written, ['+/8AQQ==', '-_8AQQ', 'fbff0041']);
    const refused = fixtureRows<Refused>('readings/payload-encodings-refused.jsonl');
    for (const [encoding, encoded, detail] of refused) {
      const result = decodePayload(encoded, encoding);
      assert.match(result.ok ? 'it was read' : result.detail, new RegExp(detail));
    }
  });
});

describe('payload padding', () => {
  const counting = (size: number) => Uint8Array.from({ length: size }, (_, index) => 0xa0 + index);
  type Row = readonly [padding: Padding, bytes: string, expected: string];
  it('is added, and removed again', () => {
    for (const [padding, plain, expected] of fixtureRows<Row>('readings/paddings.jsonl')) {
      assert.equal(encodeHex(pad(hex(plain), padding, 8, counting)), expected, padding);
      const result = unpad(hex(expected), padding, 8);
      assert.equal(result.ok && encodeHex(result.plaintext), plain, padding);
    }
    const plaintext = new Uint8Array(0);
    assert.deepEqual(unpad(new Uint8Array(20), 'zero', 8), { ok: true, plaintext });
  });

  it('is refused where it is broken, with no byte shown but the one in the count’s place', () => {
    for (const [padding, bytes, detail] of fixtureRows<Row>('readings/paddings-refused.jsonl')) {
      const result = unpad(hex(bytes), padding, 8);
      assert.ok(!result.ok);
      assert.match(result.detail, new RegExp(detail));
      assert.ok((result.detail.match(/0x/g) ?? []).length <= 1);
    }
  });
});

/** The plaintext cut to what the cipher can carry: whole blocks for `none`, no trailing NUL for `zero`. */
function wholeEnough(plain: Uint8Array, cipher: Cipher): Uint8Array {
  const { mode, blockBytes } = algorithmOf(cipher);
  if (cipher.padding === 'none' && isBlockMode(mode)) {
    return plain.subarray(0, plain.length - (plain.length % blockBytes));
  }
  if (cipher.padding !== 'zero') return plain;
  return plain.subarray(0, plain.findLastIndex((byte) => byte !== 0) + 1);
}
