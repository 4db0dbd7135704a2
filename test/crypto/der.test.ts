import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeHex } from '../../src/bytes.ts';
import {
  formatObjectIdentifier,
  isShortestInteger,
  readDerChildren,
  readDerElement,
  writeDer,
  writeDerInteger,
} from '../../src/crypto/der.ts';

function bytes(hex: string): Uint8Array {
  return decodeHex(hex.replaceAll(' ', '')) ?? new Uint8Array();
}

describe('DER', () => {
  const faults = [
    ['', { kind: 'empty' }],
    ['30', { kind: 'truncated', announced: 2, present: 1 }],
    ['30 82 01', { kind: 'truncated', announced: 4, present: 3 }],
    ['04 05 01 02', { kind: 'truncated', announced: 7, present: 4 }],
    ['30 80 00 00', { kind: 'length' }],
    ['30 85 00 00 00 00 01', { kind: 'length' }],
    ['3f 81 01 00', { kind: 'tag' }],
  ] as const;
  it('is read to its first fault, and its length need not be the shortest', () => {
    for (const [hex, fault] of faults) {
      assert.deepEqual(readDerElement(bytes(hex)), { ok: false, fault });
    }
    const isShortest = ['04 01 00', '04 81 01 00', '04 82 00 01 00'].map((hex) => {
      const reading = readDerElement(bytes(hex));
      return reading.ok && reading.element.shortestLength;
    });
    assert.deepEqual(isShortest, [true, false, false]);
  });

  it('accepts an integer only in its shortest form', () => {
    const isShortest = (hex: string) => {
      const reading = readDerElement(bytes(hex));
      return reading.ok && isShortestInteger(reading.element);
    };
    const shortest = ['02 01 00', '02 01 80', '02 02 00 80', '02 02 ff 7f'];
    assert.deepEqual(shortest.filter(isShortest), shortest);
    assert.deepEqual(['02 02 00 7f', '02 02 ff 80', '02 03 00 00 80'].filter(isShortest), []);
  });

  it('reads the elements of a sequence, and none of a broken one', () => {
    const good = readDerElement(bytes('30 05 02 01 07 05 00'));
    assert.ok(good.ok);
    assert.deepEqual(
      readDerChildren(good.element)?.map(({ tag }) => tag),
      [0x02, 0x05],
    );
    const broken = readDerElement(bytes('30 03 02 05 07'));
    assert.ok(broken.ok);
    assert.equal(readDerChildren(broken.element), undefined);
  });

  it('writes object identifiers, and integers that stay positive, without unnecessary zeros', () => {
    const rsaEncryption = formatObjectIdentifier(bytes('2a 86 48 86 f7 0d 01 01 01'));
    assert.equal(rsaEncryption, '1.2.840.113549.1.1.1');
    assert.equal(formatObjectIdentifier(bytes('88 37 03')), '2.999.3');
    assert.deepEqual(writeDerInteger(bytes('80')), bytes('02 02 00 80'));
    assert.deepEqual(writeDerInteger(bytes('00 00 7f')), bytes('02 01 7f'));
    assert.deepEqual(writeDerInteger(bytes('00')), bytes('02 01 00'));
  });

  it('reads back what it wrote, of any length', () => {
    for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
      const contents = Buffer.alloc(length, 7);
      const reading = readDerElement(writeDer(0x04, contents));
      assert.ok(reading.ok && reading.element.shortestLength);
      assert.deepEqual(Buffer.from(reading.element.contents), contents);
    }
  });
});
