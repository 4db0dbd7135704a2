import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeHex, encodeBase64, encodeHex, encodeUtf8 } from '../../src/bytes.ts';
import { algorithmOf, type Cipher, isBlockMode } from '../../src/crypto/cipher.ts';
import { formatCipher, listCiphers, parseCipher } from '../../src/crypto/cipher-notation.ts';
import { decryptPayload, encryptPayload, peekPlaintext } from '../../src/crypto/payload-ciphers.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';

/** A key that every reading takes: hexadecimal and Base64 of 32 bytes or more. */
const key = '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4';
const text = encodeUtf8('{"email":"kim@example.com","name":"임민수"}');
const ciphers = listCiphers();

/** Repeatable bytes that differ from call to call. */
function countingBytes(): (size: number) => Uint8Array {
  let calls = 0;
  return (size) => createHash('shake256', { outputLength: size }).update(`${calls++}`).digest();
}

/** Published vectors: NIST SP 800-38A appendix F, one block or more, and the GCM specification. */
const vectors = [
  {
    cipher: 'aes-256-ecb?key=hex&padding=none&encoding=hex',
    plaintext: '6bc1bee22e409f96e93d7e117393172a',
    payload: 'f3eed1bdb5d2a03c064b5a7e3db181f8',
  },
  {
    cipher: 'aes-256-cbc?key=hex&iv=hex:000102030405060708090a0b0c0d0e0f&padding=none&encoding=hex',
    plaintext: '6bc1bee22e409f96e93d7e117393172a',
    payload: 'f58c4c04d6e5f1ba779eabfb5f7bfbd6',
  },
  {
    cipher: 'aes-256-cfb?key=hex&iv=hex:000102030405060708090a0b0c0d0e0f&encoding=hex',
    plaintext: '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51',
    payload: 'dc7e84bfda79164b7ecd8486985d386039ffed143b28b1c832113c6331e5407b',
  },
  {
    cipher: 'aes-256-ctr?key=hex&iv=hex:f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff&encoding=hex',
    plaintext: '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51',
    payload: '601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5',
  },
] as const;

describe('payload ciphers', () => {
  for (const { cipher, plaintext, payload } of vectors) {
    it(`make the published vector of ${cipher.split('?')[0]}`, () => {
      const parsed = parseCipher(cipher);
      const plain = decodeHex(plaintext) ?? assert.fail();
      assert.equal(encryptPayload(plain, key, parsed, countingBytes()), payload);
      assert.equal(opened(payload, cipher), plaintext);
    });
  }

  it('decrypt what they encrypt, for every cipher of the notation', () => {
    for (const cipher of ciphers) {
      const plain = wholeEnough(text, cipher);
      const payload = encryptPayload(plain, key, cipher, countingBytes());
      const result = decryptPayload(payload, key, cipher);
      assert.ok(result.ok, formatCipher(cipher));
      assert.deepEqual(Buffer.from(result.plaintext), Buffer.from(plain), formatCipher(cipher));
    }
  });

  it('decrypt what they encrypt, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ciphers),
        fc.uint8Array({ maxLength: 70 }),
        (cipher, bytes) => {
          const plain = wholeEnough(bytes, cipher);
          const result = decryptPayload(
            encryptPayload(plain, key, cipher, countingBytes()),
            key,
            cipher,
          );
          assert.ok(result.ok, formatCipher(cipher));
          assert.deepEqual(Buffer.from(result.plaintext), Buffer.from(plain));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('put the IV, the salt and the tag where the notation says', () => {
    const iv = encodeHex(countingBytes()(16));
    const payload = (notation: string) =>
      encryptPayload(text, key, parseCipher(notation), countingBytes());
    assert.equal(payload('aes-256-cbc?encoding=hex').slice(0, 32), iv);
    assert.match(payload('aes-256-cbc?key=evp-md5'), /^U2FsdGVkX1/);
    const suffix = payload('aes-256-gcm?encoding=hex');
    const afterIv = payload('aes-256-gcm?encoding=hex&tag=after-iv');
    const tag = suffix.slice(-32);
    assert.equal(afterIv, `${suffix.slice(0, 24)}${tag}${suffix.slice(24, -32)}`);
    const first = payload('aes-256-gcm?encoding=hex&tag=after-iv&iv=zero');
    const last = payload('aes-256-gcm?encoding=hex&iv=zero');
    assert.equal(first, `${last.slice(-32)}${last.slice(0, -32)}`);
    assert.equal(last.length, 2 * (text.length + 16));
  });

  it('leave the encryption random only where the cipher says so', () => {
    const twice = (notation: string) =>
      new Set(
        [1, 2].map((call) => {
          const bytes = (size: number) => new Uint8Array(size).fill(call);
          return encryptPayload(text, key, parseCipher(notation), bytes);
        }),
      ).size;
    assert.equal(twice('aes-256-cbc'), 2);
    assert.equal(twice('aes-256-cbc?key=evp-sha256'), 2);
    assert.equal(twice('aes-256-cbc?iv=zero&padding=iso10126'), 2);
    assert.equal(twice('aes-256-cbc?iv=zero'), 1);
    assert.equal(twice('aes-256-gcm?iv=key-head'), 1);
  });
});

describe('the beginning of a plaintext', () => {
  it('is had without checking padding or tag', () => {
    for (const notation of ['aes-256-cbc', 'aes-256-gcm', 'aes-256-cfb', 'cryptojs-passphrase']) {
      const cipher = parseCipher(notation);
      const sealed = encryptPayload(text, key, cipher, countingBytes());
      const bytes = Buffer.from(sealed, 'base64');
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
      const head = peekPlaintext(bytes, key, cipher, 16) ?? assert.fail(notation);
      assert.equal(encodeHex(head), encodeHex(text.subarray(0, 16)), notation);
    }
  });

  it('is not had where the cipher can’t apply', () => {
    const peek = (bytes: Uint8Array, notation: string) =>
      peekPlaintext(bytes, 'short', parseCipher(notation), 16);
    assert.equal(peek(new Uint8Array(15), 'aes-256-cbc?key=sha256'), undefined);
    assert.equal(peek(new Uint8Array(32), 'aes-256-cbc'), undefined);
  });
});

describe('decryption that fails', () => {
  const random = (size: number) => encodeBase64(countingBytes()(size));
  const salted = encodeBase64(Buffer.concat([encodeUtf8('Salted__'), countingBytes()(24)]));
  const cases = [
    ['no Base64', 'aes-256-cbc', 'käse', 'payload-encoding', /U\+00E4 is not a digit of Base64/],
    [
      'hexadecimal cut',
      'aes-256-cbc?encoding=hex',
      'abc',
      'payload-encoding',
      /3 digits are not whole/,
    ],
    ['nothing', 'aes-256-cbc', '', 'payload-length', /^0 bytes, at least 16 are needed$/],
    ['an IV alone', 'aes-256-cbc', random(16), 'payload-length', /the ciphertext is empty/],
    [
      'a broken block',
      'aes-256-cbc',
      random(40),
      'payload-length',
      /^24 bytes of ciphertext are not a multiple of the block of 16$/,
    ],
    [
      'a broken block of DES',
      'des-ede3-cbc',
      random(17),
      'payload-length',
      /^9 bytes .* block of 8$/,
    ],
    [
      'a broken block in CFB',
      'aes-256-cfb?padding=pkcs7',
      random(17),
      'payload-length',
      /^1 bytes/,
    ],
    ['too short for a tag', 'aes-256-gcm', random(27), 'payload-length', /^27 bytes, at least 28/],
    ['no salt', 'aes-256-cbc?key=evp-md5', random(32), 'salt-missing', /begin with "Salted__"/],
    [
      'a salt and no text',
      'aes-256-cbc?key=evp-md5',
      salted.slice(0, 20),
      'payload-length',
      /at least 16/,
    ],
    ['a key too short', 'aes-256-cbc', random(32), 'key-unusable', /gives 5 bytes/, 'short'],
    [
      'a key that is no hex',
      'aes-128-cbc?key=hex',
      random(32),
      'key-unusable',
      /can't be read as hex/,
      'short',
    ],
    ['another tag', 'aes-256-gcm', random(40), 'bad-tag', /the authentication tag does not fit/],
    ['another padding', 'aes-256-cbc', random(32), 'bad-padding', /the last byte is 0x[0-9a-f]{2}/],
  ] as const;

  for (const [what, notation, payload, failure, detail, withKey = key] of cases) {
    it(`says ${failure} of ${what}`, () => {
      const result = decryptPayload(payload, withKey, parseCipher(notation));
      assert.ok(!result.ok);
      assert.equal(result.failure, failure);
      assert.match(result.detail, detail);
    });
  }

  it('names the padding that is there instead', () => {
    const zero = encryptPayload(
      text,
      key,
      parseCipher('aes-256-cbc?padding=zero'),
      countingBytes(),
    );
    const result = decryptPayload(zero, key, parseCipher('aes-256-cbc'));
    assert.ok(!result.ok);
    assert.match(result.detail, /^the plaintext ends in \d+ NUL bytes$/);
  });

  it('takes no tag but the whole one', () => {
    const gcm = parseCipher('aes-256-gcm?encoding=hex');
    const payload = encryptPayload(text, key, gcm, countingBytes());
    for (const changed of [
      payload.slice(0, -2),
      payload.slice(0, -8),
      flip(payload, 30),
      flip(payload, 0),
    ]) {
      const result = decryptPayload(changed, key, gcm);
      assert.ok(!result.ok);
      assert.equal(result.failure, 'bad-tag');
    }
  });

  it('never throws, whatever payload and key', () => {
    const anyKey = fc.oneof(fc.string({ unit: anyCharacter }), fc.constant(key));
    const salt = Buffer.concat([encodeUtf8('Salted__'), new Uint8Array(8)]);
    const bytes = fc.uint8Array({ maxLength: 80 });
    const payload = fc.oneof(
      fc.string({ unit: anyCharacter }),
      bytes.map(encodeBase64),
      bytes.map(encodeHex),
      bytes.map((tail) => encodeBase64(Buffer.concat([salt, tail]))),
    );
    fc.assert(
      fc.property(payload, anyKey, fc.constantFrom(...ciphers), (given, withKey, cipher) => {
        decryptPayload(given, withKey, cipher);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('encryption that is refused', () => {
  const cases = [
    ['aes-256-cbc', 'short', /key can't be used with this cipher: .* gives 5 bytes/],
    ['aes-256-cbc?key=hex', 'zz', /can't be read as hex/],
    ['aes-256-cbc?padding=none', key, /must be a multiple of 16 bytes long; it has 46/],
  ] as const;
  for (const [notation, withKey, message] of cases) {
    it(`refuses ${notation} with a key of ${withKey.length} characters`, () => {
      assert.throws(() => encryptPayload(text, withKey, parseCipher(notation), countingBytes()), {
        code: 'usage',
        message,
      });
    });
  }
});

function opened(payload: string, notation: string): string {
  const result = decryptPayload(payload, key, parseCipher(notation));
  return result.ok ? encodeHex(result.plaintext) : result.detail;
}

function flip(hex: string, index: number): string {
  const digit = hex[index] === '0' ? '1' : '0';
  return `${hex.slice(0, index)}${digit}${hex.slice(index + 1)}`;
}

/** The plaintext cut to what the cipher can carry: whole blocks for `none`, no trailing NUL for `zero`. */
function wholeEnough(plain: Uint8Array, cipher: Cipher): Uint8Array {
  const { mode, blockBytes } = algorithmOf(cipher);
  if (cipher.padding === 'none' && isBlockMode(mode)) {
    return plain.subarray(0, plain.length - (plain.length % blockBytes));
  }
  if (cipher.padding !== 'zero') return plain;
  const end = plain.findLastIndex((byte) => byte !== 0) + 1;
  return plain.subarray(0, end);
}
