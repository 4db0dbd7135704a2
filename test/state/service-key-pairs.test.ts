import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { maxEarlierKeyPairs } from '../../src/state/service-key-pairs.ts';
import { coded, configFile, modeOf, stateOf } from './temporary-state.ts';

function keyPairFile(file: string): string {
  const [profile = ''] = readdirSync(`${file}.profiles`);
  return join(`${file}.profiles`, profile, 'service-key-pairs.json');
}

describe('service key pairs', () => {
  it('are kept, the earlier ones behind the active one', async () => {
    const file = configFile();
    const pairs = stateOf(file).serviceKeyPairs;
    assert.equal(pairs.get(), undefined);
    assert.deepEqual(pairs.earlier(), []);
    await pairs.put('first');
    await pairs.put('second');
    await pairs.put('second');
    assert.equal(stateOf(file).serviceKeyPairs.get(), 'second');
    assert.deepEqual(stateOf(file).serviceKeyPairs.earlier(), ['first']);
    assert.equal(modeOf(keyPairFile(file)), '600');
  });

  it('are kept as earlier ones where they were used once', async () => {
    const pairs = stateOf(configFile()).serviceKeyPairs;
    await pairs.putEarlier('once');
    assert.equal(pairs.get(), undefined, 'nothing is active yet');
    await pairs.put('in use');
    for (const pem of ['once', 'in use', 'once']) await pairs.putEarlier(pem);
    assert.equal(pairs.get(), 'in use');
    assert.deepEqual(pairs.earlier(), ['once']);
  });

  it('are not twice among the earlier ones', async () => {
    const pairs = stateOf(configFile()).serviceKeyPairs;
    for (const pem of ['a', 'b', 'a', 'b', 'c']) await pairs.put(pem);
    assert.equal(pairs.get(), 'c');
    assert.deepEqual(pairs.earlier(), ['b', 'a']);
  });

  it('are bounded in number', async () => {
    const pairs = stateOf(configFile()).serviceKeyPairs;
    for (let index = 0; index < 12; index += 1) await pairs.put(`pem ${index}`);
    assert.equal(pairs.earlier().length, maxEarlierKeyPairs);
    assert.equal(pairs.earlier()[0], 'pem 10');
  });

  it('settle on one where several make the first', async () => {
    const file = configFile();
    const results = await Promise.all(
      ['a', 'b', 'c'].map((pem) => stateOf(file).serviceKeyPairs.putFirst(pem)),
    );
    assert.equal(new Set(results).size, 1);
    assert.equal(stateOf(file).serviceKeyPairs.get(), results[0]);
    assert.deepEqual(stateOf(file).serviceKeyPairs.earlier(), []);
  });

  for (const [content, problem] of [
    ['{"version": 1}', '"current" must be text'],
    ['{"current": 1}', '"current" must be text'],
    ['{"current": "a", "earlier": "b"}', '"earlier" must be a list of texts'],
    ['{"current": "a"', 'it is not JSON from line 1, column 16 on'],
  ] as const) {
    it(`in a damaged file are not overwritten: ${problem}`, async () => {
      const file = configFile();
      await stateOf(file).serviceKeyPairs.put('pem');
      writeFileSync(keyPairFile(file), content);
      const message = `The key pair file ${keyPairFile(file)} is damaged: ${problem}.`;
      const pairs = stateOf(file).serviceKeyPairs;
      assert.throws(() => pairs.get(), coded('config', message));
      await assert.rejects(pairs.put('new'), coded('config', message));
    });
  }

  it('of a newer version are refused', async () => {
    const file = configFile();
    await stateOf(file).serviceKeyPairs.put('pem');
    writeFileSync(keyPairFile(file), '{"version": 2}');
    assert.throws(() => stateOf(file).serviceKeyPairs.get(), coded('config', /has version 2/));
  });
});
