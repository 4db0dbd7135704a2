import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeHex } from '../../src/bytes.ts';
import { readDerChildren, readDerElement, writeDer } from '../../src/crypto/der.ts';

function bytes(hex: string): Uint8Array {
  return decodeHex(hex.replaceAll(' ', '')) ?? new Uint8Array();
}

describe('DER', () => {
  const faults = [
    ['', {}],
    ['30', { announced: 2, present: 1 }],
    ['30 82 01', { announced: 4, present: 3 }],
    ['04 05 01 02', { announced: 7, present: 4 }],
    ['30 80 00 00', {}],
    ['30 85 00 00 00 00 01', {}],
    ['3f 81 01 00', {}],
  ] as const;
  it('is read to its first fault, and its length need not be the shortest', () => {
    for (const [hex, fault] of faults) {
      assert.deepEqual(readDerElement(bytes(hex)), { ok: false, ...fault });
    }
    for (const hex of ['04 01 00', '04 81 01 00', '04 82 00 01 00']) {
      assert.ok(readDerElement(bytes(hex)).ok, hex);
    }
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

  it('reads back what it wrote, of any length', () => {
    for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
      const contents = Buffer.alloc(length, 7);
      const reading = readDerElement(writeDer(0x04, contents));
      assert.ok(reading.ok);
      assert.deepEqual(Buffer.from(reading.element.contents), contents);
    }
  });
});
