import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeHex, encodeHex } from '../../src/bytes.ts';
import type { Padding } from '../../src/crypto/cipher.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { requireEncryptable } from '../../src/crypto/payload-ciphers.ts';
import { pad, unpad } from '../../src/crypto/payload-format.ts';
import { fc } from '../support/fast-check.ts';

const counting = (size: number) => Uint8Array.from({ length: size }, (_, index) => 0xa0 + index);
const hex = (digits: string) => decodeHex(digits) ?? assert.fail(digits);

const padded: readonly (readonly [Padding, string, string])[] = [
  ['pkcs7', '414243', '4142430505050505'],
  ['pkcs7', '4142434445464748', '41424344454647480808080808080808'],
  ['pkcs7', '', '0808080808080808'],
  ['zero', '414243', '4142430000000000'],
  ['zero', '4142434445464748', '4142434445464748'],
  ['zero', '', ''],
  ['ansix923', '414243', '4142430000000005'],
  ['iso10126', '414243', '414243a0a1a2a305'],
  ['none', '414243', '414243'],
];

const broken: readonly (readonly [Padding, string, RegExp])[] = [
  ['pkcs7', '4142434445464700', /^the plaintext ends in 1 NUL byte$/],
  ['pkcs7', '4142434445000000', /ends in 3 NUL bytes/],
  ['pkcs7', '4142434445464709', /the last byte is 0x09, not a padding length from 1 to 8/],
  ['pkcs7', '41424344454647ff', /the last byte is 0xff/],
  [
    'pkcs7',
    '4142434445460303',
    /the last byte is 0x03, but the bytes before it are not pkcs7 padding$/,
  ],
  ['pkcs7', '4142434445000003', /not pkcs7 padding, they are NUL/],
  ['ansix923', '4142434445030303', /not ansix923 padding, they repeat the count/],
  ['iso10126', '4142434445464710', /the last byte is 0x10/],
];

describe('payload padding', () => {
  for (const [padding, plain, expected] of padded) {
    it(`${padding} makes ${expected || 'nothing'} of ${plain || 'nothing'} and back`, () => {
      assert.equal(encodeHex(pad(hex(plain), padding, 8, counting)), expected);
      const result = unpad(hex(expected), padding, 8);
      assert.ok(result.ok);
      assert.equal(encodeHex(result.plaintext), plain);
    });
  }

  for (const [padding, bytes, detail] of broken) {
    it(`${padding} refuses ${bytes} and says what is there`, () => {
      const result = unpad(hex(bytes), padding, 8);
      assert.ok(!result.ok);
      assert.match(result.detail, detail);
    });
  }

  it('zero takes every trailing NUL away, also more than a block', () => {
    const result = unpad(new Uint8Array(20), 'zero', 8);
    assert.deepEqual(result, { ok: true, plaintext: new Uint8Array(0) });
  });

  it('a count longer than the text is not padding', () => {
    assert.equal(unpad(Uint8Array.of(4, 4), 'pkcs7', 8).ok, false);
    assert.equal(unpad(new Uint8Array(0), 'pkcs7', 8).ok, false);
  });

  it('none demands whole blocks', () => {
    requireEncryptable(new Uint8Array(16), parseCipher('des-ede3-cbc?padding=none'));
    requireEncryptable(new Uint8Array(15), parseCipher('des-ede3-cbc?padding=pkcs7'));
    assert.throws(
      () => requireEncryptable(new Uint8Array(15), parseCipher('des-ede3-cbc?padding=none')),
      {
        code: 'usage',
        message: /multiple of 8 bytes long; it has 15/,
      },
    );
  });

  it('never shows a byte of the text in a detail, but the one in the count’s place', () => {
    const padding = fc.constantFrom<Padding>('pkcs7', 'ansix923', 'iso10126');
    const block = fc.uint8Array({ minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(padding, block, (name, bytes) => {
        const result = unpad(bytes, name, 8);
        if (!result.ok) assert.ok((result.detail.match(/0x/g) ?? []).length <= 1);
      }),
    );
  });
});
