import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeHex, encodeUtf8 } from '../../src/bytes.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import {
  deriveKeyMaterial,
  evpBytesToKey,
  type PlainKeyReading,
  readKeyBytes,
  sha1Prng,
} from '../../src/crypto/key-derivation.ts';

const key = '4302abe141ca553e5c9f25facf8f6c7d';
const salt = encodeUtf8('\x01\x02\x03\x04\x05\x06\x07\x08');

/** Made with coreutils (md5sum, sha256sum, base64) and, for sha1prng, with the JDK. */
const readings: readonly (readonly [PlainKeyReading, string, string | undefined])[] = [
  ['utf8', 'käy', '6bc3a479'],
  ['hex', 'ABcd01', 'abcd01'],
  ['hex', 'ABcd0', undefined],
  ['hex', 'xyz0', undefined],
  ['base64', '+/8AQQ==', 'fbff0041'],
  ['base64', '-_8AQQ', 'fbff0041'],
  ['base64', 'not base64!', undefined],
  ['md5', 'abc', '900150983cd24fb0d6963f7d28e17f72'],
  ['sha256', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['md5-hex', 'abc', encodeHex(encodeUtf8('900150983cd24fb0d6963f7d28e17f72'))],
];

function derive(notation: string, text: string, header: Uint8Array = new Uint8Array(0)): string[] {
  const result = deriveKeyMaterial(text, parseCipher(notation), header);
  if (!result.ok) return [result.reason];
  return [result.key, result.iv].map(encodeHex);
}

describe('key derivation', () => {
  for (const [reading, text, expected] of readings) {
    it(`reads ${JSON.stringify(text)} as ${reading}`, () => {
      const bytes = readKeyBytes[reading](text);
      assert.equal(bytes && encodeHex(bytes), expected);
    });
  }

  it('cuts to the length of the algorithm', () => {
    const head = encodeHex(encodeUtf8(key));
    assert.deepEqual(derive('aes-256-ecb', key), [head, '']);
    assert.deepEqual(derive('aes-192-ecb', key), [head.slice(0, 48), '']);
    assert.deepEqual(derive('aes-128-ecb', `${key} and more`), [head.slice(0, 32), '']);
    assert.deepEqual(derive('des-ede3-cbc?iv=zero', key), [head.slice(0, 48), '0'.repeat(16)]);
  });

  it('takes the IV from head and tail of the characters, whatever the reading', () => {
    const characters = encodeHex(encodeUtf8(key));
    assert.deepEqual(derive('aes-128-cbc?key=hex&iv=key-head', key), [
      key,
      characters.slice(0, 32),
    ]);
    assert.deepEqual(derive('aes-128-cbc?key=hex&iv=key-tail', key), [key, characters.slice(-32)]);
    const gcm = derive('aes-128-gcm?key=hex&iv=key-tail&ivlen=12', key);
    assert.deepEqual(gcm, [key, characters.slice(-24)]);
  });

  it('takes a prefix and a fixed IV as they are', () => {
    const [, iv] = derive('aes-128-cbc?iv=hex:000102030405060708090a0b0c0d0e0f', key);
    assert.equal(iv, '000102030405060708090a0b0c0d0e0f');
    assert.equal(derive('des-ede3-cbc', key, salt)[1], '0102030405060708');
  });

  const unusable = [
    ['aes-256-cbc', 'short', 'the key read as utf8 gives 5 bytes, aes-256-cbc takes 32'],
    ['aes-256-cbc?key=hex', key, 'the key read as hex gives 16 bytes, aes-256-cbc takes 32'],
    ['aes-128-cbc?key=hex', 'no hex', "the key can't be read as hex"],
    ['aes-256-cbc?key=sha256&iv=key-head', 'tiny', 'the key is shorter than the IV of 16 bytes'],
    ['aes-256-gcm?key=sha256&iv=key-tail', 'tiny', 'the key is shorter than the IV of 12 bytes'],
  ] as const;
  for (const [notation, text, reason] of unusable) {
    it(`says of ${notation} that ${reason}`, () => {
      assert.deepEqual(derive(notation, text), [reason]);
    });
  }

  it('derives key and IV as one stream from passphrase and salt', () => {
    const stream = encodeHex(evpBytesToKey('sha256', encodeUtf8(key), salt, 48));
    assert.deepEqual(derive('aes-256-cbc?key=evp-sha256', key, salt), [
      stream.slice(0, 64),
      stream.slice(64),
    ]);
    assert.deepEqual(derive('aes-256-ecb?key=evp-sha256', key, salt), [stream.slice(0, 64), '']);
    assert.deepEqual(derive('aes-128-cbc?key=evp-sha256', key, salt), [
      stream.slice(0, 32),
      stream.slice(32, 64),
    ]);
  });
});

describe('EVP_BytesToKey', () => {
  /** openssl enc -aes-256-cbc -md MD -S 0102030405060708 -pass pass:secret -P */
  const vectors = [
    [
      'md5',
      'c9e5a1bd216dbe1317e230cef48f38ee7f0e17ad64022144bccec4a1aa2879abe24b32bbbc4ef02ecbcb6576523ad893',
    ],
    [
      'sha256',
      '03b375940cb96c16f84faa87f5ef39cc0bc7066ccd3e14456d9d74e438e35832904aebc6e588fdb49fd15806bb4fee6f',
    ],
  ] as const;
  for (const [digest, expected] of vectors) {
    it(`agrees with openssl enc -md ${digest}`, () => {
      const stream = evpBytesToKey(digest, encodeUtf8('secret'), salt, 48);
      assert.equal(encodeHex(stream), expected);
    });
  }
});

describe('SHA1PRNG', () => {
  /** SecureRandom.getInstance("SHA1PRNG"), setSeed(text), nextBytes(new byte[64]) of JDK 17. */
  const vectors = [
    [
      '',
      'be1bdec0aa74b4dcb079943e70528096cca985f80a0e17bb3ba928a79edc0fd2117cec92c51cb3554944436b526fd33fa0b45ce0734ebb93fe3ec54998ad1094',
    ],
    [
      'secret',
      '14e65567abdb5135d0cfd9a70b3032c179a49ee767f41266901606b2e7abd5a06f8507de0883209af23de2165fbf692d21a5bfc03f29131a19016e874a631e40',
    ],
    [
      key,
      '378da756e3dbea8cf219f87f9c20076c1bee9f38d64e6eb04f3f1fd66b211b9727d85fd2b3fda9cbfa592f2e0515339accb2ff5622e91917e76e3aee73e3225e',
    ],
  ] as const;
  for (const [seed, expected] of vectors) {
    it(`yields what Java yields for ${JSON.stringify(seed)}`, () => {
      assert.equal(encodeHex(sha1Prng(encodeUtf8(seed), 64)), expected);
    });
  }

  it('yields a prefix of the same stream for fewer bytes', () => {
    const seed = encodeUtf8('secret');
    for (const size of [0, 1, 16, 20, 24, 32]) {
      assert.deepEqual(sha1Prng(seed, size), sha1Prng(seed, 64).subarray(0, size));
    }
  });
});
