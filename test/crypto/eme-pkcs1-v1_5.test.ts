import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  decodeEmePkcs1V15,
  type EmeFailure,
  encodeEmePkcs1V15,
} from '../../src/crypto/rsaes-pkcs1-v1_5.ts';
import { fc } from '../support/fast-check.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('eme-pkcs1-v1_5');

const message = Buffer.from('0123456789abcdefghijklmnopqrstuv');

function encodedMessage(...parts: readonly (readonly number[] | Uint8Array)[]): Uint8Array {
  return Buffer.concat(parts.map((part) => Uint8Array.from(part)));
}

describe('EME-PKCS1-v1_5', () => {
  it('encodes as RFC 8017 7.2.1 says', () => {
    const encoded = encodeEmePkcs1V15(message, 64, (size) => new Uint8Array(size).fill(7));
    assert.deepEqual(encoded, encodedMessage([0, 2], new Uint8Array(29).fill(7), [0], message));
  });

  it('draws again for every zero in the padding string', () => {
    let next = 0;
    const counting = (size: number) => Uint8Array.from({ length: size }, () => next++ % 3);
    const encoded = encodeEmePkcs1V15(message, 64, counting);
    assert.equal(encoded.subarray(2, 31).includes(0), false);
    assert.equal(encoded.indexOf(0, 2), 31);
  });

  for (const [modulusBytes, room] of [
    [42, 31],
    [11, 0],
    [4, 0],
  ] as const) {
    it(`refuses a message too long for ${modulusBytes} bytes`, () => {
      assert.throws(() => encodeEmePkcs1V15(message, modulusBytes, randomBytes), {
        code: 'usage',
        message: `32 bytes are too long for an RSA key of ${modulusBytes} bytes: with PKCS #1 v1.5 padding it takes ${room} at most`,
      });
    });
  }

  const eight = [1, 2, 3, 4, 5, 6, 7, 8];
  const failures: readonly (readonly [what: string, EmeFailure, Uint8Array])[] = [
    ['nothing', 'first-octet', new Uint8Array()],
    ['a first octet of 1', 'first-octet', encodedMessage([1, 2], eight, [0], message)],
    ['one octet', 'block-type', encodedMessage([0])],
    ['block type 0', 'block-type', encodedMessage([0, 0], eight, [0], message)],
    [
      'block type 1',
      'block-type',
      encodedMessage([0, 1], new Uint8Array(8).fill(255), [0], message),
    ],
    ['no separator', 'separator', encodedMessage([0, 2], eight, message)],
    [
      'a padding string of 7',
      'padding-string',
      encodedMessage([0, 2], eight.slice(1), [0], message),
    ],
    ['a padding string of 0', 'padding-string', encodedMessage([0, 2, 0], message)],
  ];
  for (const [what, failure, encoded] of failures) {
    it(`fails at ${failure} for ${what}`, () => {
      assert.deepEqual(decodeEmePkcs1V15(encoded), { ok: false, failure });
    });
  }

  it('takes a padding string of eight, and a message with zeros in it', () => {
    const withZeros = Uint8Array.of(0, 1, 0, 2);
    const decoded = decodeEmePkcs1V15(encodedMessage([0, 2], eight, [0], withZeros));
    assert.deepEqual(decoded, { ok: true, message: Buffer.from(withZeros) });
  });

  it('decodes whatever it encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 245 }), (data) => {
        const decoded = decodeEmePkcs1V15(encodeEmePkcs1V15(data, 256, randomBytes));
        assert.deepEqual(decoded, { ok: true, message: Buffer.from(data) });
      }),
    );
  });
});
