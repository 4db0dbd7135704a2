import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeHex, encodeHex } from '../../src/bytes.ts';
import { algorithms } from '../../src/crypto/cipher.ts';
import { multiply, solveGcmIv, toField } from '../../src/crypto/ghash.ts';
import { decryptBlock, encryptBlock } from '../../src/crypto/payload-ciphers.ts';
import { fc } from '../support/fast-check.ts';

const hex = (digits: string) => decodeHex(digits) ?? assert.fail(digits);
const block = fc.uint8Array({ minLength: 16, maxLength: 16 });

describe('the field of GCM', () => {
  it('multiplies as test case 2 of the GCM specification does', () => {
    // McGrew and Viega, appendix B, test case 2: X1 = C * H.
    const product = multiply(
      toField(hex('0388dace60b6a392f328c2b971b2fe78')),
      toField(hex('66e94bd4ef8a2c3b884cfa59ca342b2e')),
    );
    assert.equal(product.toString(16), '5e2ec746917062882c85b0685353deb7');
  });

  it('solves the IV that a pre-counter block came from', () => {
    fc.assert(
      fc.property(block, block, (iv, subkey) => {
        const h = toField(subkey);
        fc.pre(h !== 0n);
        const preCounter = multiply(multiply(toField(iv), h) ^ 128n, h);
        const bytes = hex(preCounter.toString(16).padStart(32, '0'));
        assert.equal(encodeHex(solveGcmIv(bytes, subkey) ?? assert.fail()), encodeHex(iv));
      }),
    );
    assert.equal(solveGcmIv(new Uint8Array(16), new Uint8Array(16)), undefined, 'zero subkey');
  });
});

it('encrypts a block as FIPS 197 appendix B does, and inverts it with every algorithm', () => {
  for (const algorithm of algorithms) {
    const key = Buffer.alloc(algorithm.keyBytes, 'key');
    const plain = Buffer.alloc(algorithm.blockBytes, 'text');
    const sealed = encryptBlock(algorithm, key, plain);
    assert.notDeepEqual(sealed, plain);
    assert.deepEqual(decryptBlock(algorithm, key, sealed), plain, algorithm.name);
  }
  const aes = algorithms.find(({ name }) => name === 'aes-128-gcm') ?? assert.fail();
  const block = hex('3243f6a8885a308d313198a2e0370734');
  const sealed = encryptBlock(aes, hex('2b7e151628aed2a6abf7158809cf4f3c'), block);
  assert.equal(encodeHex(sealed), '3925841d02dc09fbdc118597196a0b32');
});
