import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { toRsaPublicKey } from '../../src/crypto/rsa-key.ts';
import { findUnsoundness } from '../../src/crypto/rsa-structures.ts';

const { modulus } = toRsaPublicKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey);

/** An odd number of this many bytes that no small prime divides. */
function madeUp(bytes: number): Uint8Array {
  const made = new Uint8Array(bytes).fill(0xff);
  while (findUnsoundness({ modulus: made, publicExponent: 3n })?.includes('divisible')) {
    made[bytes - 1] = (made[bytes - 1] ?? 0) - 2;
  }
  return made;
}

describe('findUnsoundness', () => {
  for (const exponent of [3n, 17n, 65537n, (1n << 64n) + 1n]) {
    it(`has nothing against the exponent ${exponent}`, () => {
      assert.equal(findUnsoundness({ modulus, publicExponent: exponent }), undefined);
    });
  }

  it('has nothing against a modulus of 43 bytes, the shortest that does, or of 16384 bits', () => {
    assert.equal(findUnsoundness({ modulus: madeUp(43), publicExponent: 3n }), undefined);
    assert.equal(findUnsoundness({ modulus: madeUp(2048), publicExponent: 3n }), undefined);
  });

  const unsound: readonly (readonly [Uint8Array, bigint, RegExp])[] = [
    [modulus, 0n, /^has the even exponent 0,/],
    [modulus, 1n, /^has the exponent 1, so that the ciphertext is the plaintext$/],
    [modulus, 2n, /^has the even exponent 2,/],
    [modulus, 1n << 100n, /^has the even exponent 12676506002282294014…,/],
    [modulus, 1n + (1n << 2100n), /^has an exponent larger than its modulus$/],
    [madeUp(400), 1n + (1n << 70n), /^has an exponent of more than 64 bits with a modulus of more/],
    [modulus.map((octet, at) => (at === 255 ? octet - 1 : octet)), 3n, /^has an even modulus/],
    [new Uint8Array(), 3n, /^has an even modulus/],
    [madeUp(42), 3n, /^has a modulus of 336 bits, too short .* leaves space for 31$/],
    [Uint8Array.of(5), 3n, /^has a modulus of 3 bits, too short .* leaves space for 0$/],
    [madeUp(2049), 3n, /^has a modulus of 16392 bits; more than 16384 can't be used$/],
    [
      new Uint8Array(256).fill(0xff),
      3n,
      /^has a modulus divisible by 3: it is damaged or made up$/,
    ],
  ];
  for (const [number, publicExponent, reason] of unsound) {
    it(`says that it ${reason.source}`, () => {
      assert.match(findUnsoundness({ modulus: number, publicExponent }) ?? '', reason);
    });
  }
});
