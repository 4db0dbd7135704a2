import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { createKeyPairs } from '../../src/conformance/key-pairs.ts';
import { generateLargeKeyPair } from '../../src/conformance/large-key-pair.ts';
import { RunRecord } from '../../src/conformance/record.ts';
import { seededBytes } from '../../src/conformance/seeded-bytes.ts';
import { givenUsers, inventUsers } from '../../src/conformance/test-users.ts';
import { readUserCodes } from '../../src/conformance/user-codes.ts';
import { readPublicKey } from '../../src/crypto/public-key.ts';
import { exportPrivateKey, exportPublicKey, type RsaPrivateKey } from '../../src/crypto/rsa-key.ts';
import { unwrapKey, wrapKey } from '../../src/crypto/rsaes-pkcs1-v1_5.ts';

describe('generateLargeKeyPair', () => {
  for (const bits of [3072, 4096] as const) {
    it(`makes a pair of exactly ${bits} bits that works and reads as any other`, async () => {
      const pair = await generateLargeKeyPair(bits);
      assert.equal(pair.modulusBits, bits);
      assert.equal(pair.publicKey.publicExponent, 65537n);
      const { key } = readPublicKey(exportPublicKey(pair.publicKey));
      const opened = unwrapKey(pair, wrapKey(key, 'a'.repeat(32), randomBytes));
      assert.deepEqual(opened.ok && Buffer.from(opened.message).toString(), 'a'.repeat(32));
      assert.match(exportPrivateKey(pair), /^-----BEGIN PRIVATE KEY-----/);
    });
  }
});

describe('createKeyPairs', () => {
  it('makes each pair once, when it is asked for', async () => {
    const made: number[] = [];
    const pairs = createKeyPairs(async (bits) => {
      made.push(bits);
      return { modulusBits: bits } as RsaPrivateKey;
    });
    assert.deepEqual(made, []);
    assert.equal(await pairs.usual(), await pairs.usual());
    assert.notEqual(await pairs.usual(), await pairs.second());
    pairs.prepareLarge();
    await pairs.large(4096);
    assert.deepEqual(made, [2048, 2048, 3072, 4096]);
  });
});

describe('test users', () => {
  it('are invented by seed, check and place: recognisable, short, in small letters', () => {
    const users = inventUsers('seed');
    const codes = users.forCheck('a/b', 50) ?? [];
    assert.deepEqual(users.forCheck('a/b', 50), codes);
    assert.notDeepEqual(users.forCheck('a/c', 50), codes);
    assert.notDeepEqual(inventUsers('other').forCheck('a/b', 50), codes);
    for (const code of codes) assert.match(code, /^authcli-[0-9a-z]{9}$/);
    assert.equal(new Set(codes).size, 50);
  });

  it('are taken in turn from those that are given', () => {
    const users = givenUsers(['a', 'b', 'c']);
    assert.deepEqual(users.forCheck('x', 2), ['a', 'b']);
    assert.deepEqual(users.forCheck('y', 2), ['c', 'a']);
    assert.equal(users.forCheck('z', 4), undefined);
    assert.equal(users.limit, 3);
  });

  it('are read one a line', () => {
    assert.deepEqual(readUserCodes('\ufeffalice\r\n\n# a comment\n bob \nalice\n'), [
      'alice',
      'bob',
    ]);
    assert.throws(() => readUserCodes('# nobody\n'), {
      code: 'usage',
      message: 'There is no user code in the file.',
    });
  });
});

describe('seededBytes', () => {
  it('repeats with the seed, and never within a run', () => {
    const [one, two, other] = [seededBytes('a'), seededBytes('a'), seededBytes('b')];
    const first = one(16);
    assert.deepEqual(two(16), first);
    assert.notDeepEqual(one(16), first);
    assert.notDeepEqual(other(16), first);
    assert.equal(one(0).length, 0);
    assert.equal(one(1000).length, 1000);
  });
});

describe('RunRecord', () => {
  it('knows which requests were alone', async () => {
    const record = new RunRecord();
    const first = await record.watch(async () => 1);
    assert.deepEqual(first, { value: 1, alone: true });
    const [left, right] = await Promise.all([
      record.watch(() => later(2)),
      record.watch(() => later(3)),
    ]);
    assert.deepEqual([left.alone, right.alone], [false, false]);
    await assert.rejects(record.watch(() => Promise.reject(new Error('no'))));
    assert.equal((await record.watch(async () => 4)).alone, true);
  });
});

function later<T>(value: T): Promise<T> {
  return new Promise((resolve) => setImmediate(() => resolve(value)));
}
