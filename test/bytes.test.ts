import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  CollectedBytes,
  constantTimeEqual,
  decodeBase64Lenient,
  decodeBase64Strict,
  decodeHex,
  decodeUtf8,
  encodeBase64,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
} from '../src/bytes.ts';

const bytes = Uint8Array.of(0xfb, 0xff, 0x00, 0x41);

describe('bytes', () => {
  it('writes and reads hexadecimal in either case, and nothing else', () => {
    assert.equal(encodeHex(bytes), 'fbff0041');
    assert.deepEqual(decodeHex('FBff0041'), Buffer.from(bytes));
    for (const text of ['abc', 'zz', '0x41', '41 41'])
      assert.equal(decodeHex(text), undefined, text);
  });

  it('writes Base64 and Base64url (RFC 4648)', () => {
    assert.equal(encodeBase64(bytes), '+/8AQQ==');
    assert.equal(encodeBase64Url(bytes), '-_8AQQ');
  });

  it('reads lenient, not strict, Base64 without padding, of URLs, with white space or stray bits', () => {
    const others = ['+/8AQQ', '-_8AQQ==', '+/8A\r\nQQ==', '+/8AQQ==\n', ' +/8AQQ== ', '+/8AQR=='];
    for (const text of others) {
      assert.equal(decodeBase64Strict(text), undefined, text);
      assert.deepEqual(decodeBase64Lenient(text), Buffer.from(bytes), text);
    }
    for (const text of ['+/8A!QQ', 'AAAAA', '=QQ', 'Q=Q=', 'A===']) {
      assert.equal(decodeBase64Strict(text), undefined, text);
      assert.equal(decodeBase64Lenient(text), undefined, text);
    }
  });

  it('reads UTF-8 or says that it is not', () => {
    assert.equal(decodeUtf8(encodeUtf8('\ufeff김 🙂')), '\ufeff김 🙂');
    assert.equal(decodeUtf8(Uint8Array.of(0xc3, 0x28)), undefined);
  });

  it('compares in constant time', () => {
    assert.equal(constantTimeEqual(bytes, Uint8Array.from(bytes)), true);
    assert.equal(constantTimeEqual(bytes, bytes.subarray(1)), false);
    assert.equal(constantTimeEqual(Uint8Array.of(1), Uint8Array.of(2)), false);
  });
});

describe('collected bytes', () => {
  it('are what came, up to the limit, in one buffer', () => {
    const collected = new CollectedBytes(1000);
    for (let count = 0; count < 1500; count += 1) collected.add(Uint8Array.of(count % 251));
    const { bytes } = collected;
    assert.ok(bytes.length === 1000 && bytes.every((byte, index) => byte === index % 251));
    assert.ok(bytes.buffer.byteLength <= 8192);
  });

  it('stay as they were when more comes', () => {
    const collected = new CollectedBytes(10);
    collected.add(Uint8Array.of(1, 2));
    const before = collected.bytes;
    collected.add(Uint8Array.of(3));
    assert.deepEqual([before, collected.bytes], [Buffer.of(1, 2), Buffer.of(1, 2, 3)]);
  });
});
