import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PayloadEncoding, payloadEncodings } from '../../src/crypto/cipher.ts';
import { decodePayload, encodePayload } from '../../src/crypto/payload-format.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';

const bytes = Buffer.of(0xfb, 0xff, 0x00, 0x41);

const readable: readonly (readonly [PayloadEncoding, string])[] = [
  ['base64', '+/8AQQ=='],
  ['base64', '+/8AQQ'],
  ['base64', '+/8AQQ='],
  ['base64', ' +/8A\r\nQQ = =\n'],
  ['base64', '\uFEFF+/8AQQ==\u00a0'],
  ['base64', '+/8AQR=='],
  ['base64url', '-_8AQQ'],
  ['base64url', '-_8AQQ=='],
  ['hex', 'fbff0041'],
  ['hex', 'FBfF 00\t41\n'],
];

const unreadable: readonly (readonly [PayloadEncoding, string, RegExp])[] = [
  ['base64', '-_8AQQ', /^"-" is not a digit of Base64$/],
  ['base64url', '+/8AQQ', /^"\+" is not a digit of Base64url$/],
  ['base64', '+/8AQQ===', /"=" is not a digit of Base64/],
  ['base64', '+/8=AQQ', /"=" is not a digit/],
  ['base64', '+/8AQ', /^5 digits are not whole Base64$/],
  ['hex', 'fbff004', /^7 digits are not whole hexadecimal$/],
  ['hex', 'fbff00=', /"=" is not a digit of hexadecimal/],
  ['hex', '0xfbff', /"x" is not a digit/],
  ['base64', '임민수', /^U\+C784 is not a digit of Base64$/],
  ['base64', 'AA\u001bAA', /^U\+001B is not a digit/],
  ['base64', '😀', /^U\+1F600 is not a digit/],
];

describe('payload encoding', () => {
  for (const [encoding, text] of readable) {
    it(`reads ${JSON.stringify(text)} as ${encoding}`, () => {
      assert.deepEqual(decodePayload(text, encoding), { ok: true, bytes });
    });
  }

  for (const [encoding, text, detail] of unreadable) {
    it(`doesn't read ${JSON.stringify(text)} as ${encoding}`, () => {
      const result = decodePayload(text, encoding);
      assert.ok(!result.ok);
      assert.match(result.detail, detail);
    });
  }

  it('writes Base64 with padding, Base64url without, hexadecimal in small letters', () => {
    const written = payloadEncodings.map((encoding) => encodePayload(bytes, encoding));
    assert.deepEqual(written, ['+/8AQQ==', '-_8AQQ', 'fbff0041']);
  });

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...payloadEncodings), fc.uint8Array(), (encoding, plain) => {
        const decoded = decodePayload(encodePayload(plain, encoding), encoding);
        assert.ok(decoded.ok);
        assert.deepEqual(new Uint8Array(decoded.bytes), plain);
      }),
    );
  });

  it('never throws and reads nothing as empty', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...payloadEncodings),
        fc.string({ unit: anyCharacter }),
        (encoding, text) => {
          decodePayload(text, encoding);
        },
      ),
    );
    assert.deepEqual(decodePayload('', 'base64'), { ok: true, bytes: Buffer.alloc(0) });
    assert.deepEqual(decodePayload(' ==\n', 'base64'), { ok: true, bytes: Buffer.alloc(0) });
  });
});
