import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { RunRecord } from '../../src/conformance/result.ts';
import { createKeyPairs, givenUsers, readUserCodes } from '../../src/conformance/test-data.ts';
import type { RsaPrivateKey } from '../../src/crypto/rsa-key.ts';

it('a run makes each key pair once, when it is asked for', async () => {
  const made: unknown[] = [];
  const pairs = createKeyPairs(async (bits = 2048) => {
    made.push(bits);
    return { modulusBits: bits } as RsaPrivateKey;
  });
  assert.deepEqual(made, []);
  assert.equal(await pairs('usual'), await pairs('usual'));
  assert.notEqual(await pairs('usual'), await pairs('second'));
  await pairs(4096);
  assert.deepEqual(made, [2048, 2048, 4096]);
});

describe('test users', () => {
  it('are taken in turn from those that are given', () => {
    const users = givenUsers(['a', 'b', 'c']);
    assert.deepEqual(users.forCheck('x', 2), ['a', 'b']);
    assert.deepEqual(users.forCheck('y', 2), ['c', 'a']);
    assert.equal(users.forCheck('z', 4), undefined);
    assert.equal(users.limit, 3);
  });

  it('are read one a line', () => {
    const text = '\ufeffalice\r\n\n# a comment\n bob \nalice\n';
    assert.deepEqual(readUserCodes(text), ['alice', 'bob']);
    const empty = { code: 'usage', message: 'The file contains no user codes.' };
    assert.throws(() => readUserCodes('# nobody\n'), empty);
  });
});

it('the record of a run knows which requests were alone', async () => {
  const record = new RunRecord();
  assert.deepEqual(await record.watch(async () => 1), { value: 1, alone: true });
  const both = [record.watch(() => setImmediate(2)), record.watch(() => setImmediate(3))];
  assert.deepEqual(await Promise.all(both), [
    { value: 2, alone: false },
    { value: 3, alone: false },
  ]);
  await assert.rejects(record.watch(() => Promise.reject(new Error('no'))));
  assert.equal((await record.watch(async () => 4)).alone, true);
});
