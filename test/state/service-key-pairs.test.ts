import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { coded, configFile, modeOf, ownFiles, stateOf } from './temporary-state.ts';

describe('service key pairs', () => {
  it('are stored, the earlier ones behind the active one, each once, and nine in all', async () => {
    const file = configFile();
    const pairs = stateOf(file).serviceKeyPairs;
    assert.deepEqual(pairs.list(), []);
    await pairs.putEarlier('once');
    assert.deepEqual(pairs.list(), [], 'nothing is active yet');
    await pairs.putFirst('in use');
    for (const pem of ['once', 'in use', 'once']) await pairs.putEarlier(pem);
    assert.deepEqual(stateOf(file).serviceKeyPairs.list(), ['in use', 'once']);
    assert.deepEqual(ownFiles(file, 'service-key-pairs.json').map(modeOf), ['600']);
    for (let index = 0; index < 9; index += 1) await pairs.putEarlier(`${index}`);
    assert.deepEqual(pairs.list(), ['in use', '8', '7', '6', '5', '4', '3', '2', '1']);
  });

  it('settle on one where several make the first', async () => {
    const file = configFile();
    const put = (pem: string) => stateOf(file).serviceKeyPairs.putFirst(pem);
    const results = await Promise.all(['a', 'b', 'c'].map(put));
    assert.equal(new Set(results).size, 1);
    assert.deepEqual(stateOf(file).serviceKeyPairs.list(), [results[0]]);
  });

  for (const [content, problem] of [
    ['{"version": 1}', 'is damaged: "current" must be text.'],
    ['{"current": "a", "earlier": [1]}', 'is damaged: "earlier" must be a list of texts.'],
    ['{"current": "a"', 'is damaged: it is not JSON from line 1, column 16 on.'],
    ['{"version": 2}', 'has version 2; this authcli reads versions up to 1.'],
  ] as const) {
    it(`in a file that can't be read are not overwritten: ${content}`, async () => {
      const file = configFile();
      const pairs = stateOf(file).serviceKeyPairs;
      await pairs.putFirst('pem');
      const [path = ''] = ownFiles(file, 'service-key-pairs.json');
      writeFileSync(path, content);
      const refused = coded('config', `The key pair file ${path} ${problem}`);
      assert.throws(() => pairs.list(), refused);
      await assert.rejects(pairs.putFirst('new'), refused);
    });
  }
});
