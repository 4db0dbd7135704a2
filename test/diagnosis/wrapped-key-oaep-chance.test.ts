import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeEmePkcs1V15 } from '../../src/crypto/rsaes-pkcs1-v1_5.ts';
import { openBlock } from '../../src/diagnosis/wrapped-key-block.ts';

const modulusBytes = 256;
const hashBytes = 20;
const sha1 = (bytes: Uint8Array) => createHash('sha1').update(bytes).digest();

/** RFC 8017 B.2.1 with SHA-1. */
function mgf1(seed: Uint8Array, length: number): Buffer {
  const rounds = Array.from({ length: Math.ceil(length / hashBytes) }, (_, round) => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(round);
    return sha1(Buffer.concat([seed, counter]));
  });
  return Buffer.concat(rounds).subarray(0, length);
}

const xor = (left: Uint8Array, right: Uint8Array) =>
  Buffer.from(left.map((octet, index) => octet ^ (right[index] ?? 0)));

/** RFC 8017 7.1.1: the block of 31 characters and a last one that makes its last byte zero. */
function oaepBlock(seed: Uint8Array): { readonly block: Buffer; readonly key: string } {
  const mask = mgf1(seed, modulusBytes - hashBytes - 1);
  const key = 'k'.repeat(31) + String.fromCharCode(mask.at(-1) ?? 0);
  const tail = Buffer.from(`\u0001${key}`, 'latin1');
  const zeros = Buffer.alloc(mask.length - hashBytes - tail.length);
  const maskedDb = xor(Buffer.concat([sha1(Buffer.alloc(0)), zeros, tail]), mask);
  const maskedSeed = xor(seed, mgf1(maskedDb, hashBytes));
  return { block: Buffer.concat([Buffer.alloc(1), maskedSeed, maskedDb]), key };
}

describe('a block of OAEP that also fits PKCS #1 v1.5, holding nothing', () => {
  it('is OAEP', () => {
    for (let number = 0; ; number += 1) {
      assert.ok(number < 100_000, 'no such block was found');
      const { block, key } = oaepBlock(sha1(Buffer.from(String(number))));
      const decoded = decodeEmePkcs1V15(block);
      if (!decoded.ok || decoded.message.length > 0 || !/^[!-~]+$/.test(key)) continue;
      const opened = openBlock(block);
      assert.equal(opened?.diagnosis?.code, 'oaep-sha1');
      assert.equal(Buffer.from(opened?.message ?? []).toString(), key);
      return;
    }
  });
});
