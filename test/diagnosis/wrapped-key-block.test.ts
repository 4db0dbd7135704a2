import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeEmePkcs1V15 } from '../../src/crypto/rsaes-pkcs1-v1_5.ts';
import { openBlock } from '../../src/diagnosis/wrapped-key-block.ts';
import { encodeEmeOaep } from '../../src/emulator/faults/oaep.ts';
import { seededRandom } from '../support/seeded-random.ts';

const key = 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE';

describe('openBlock', () => {
  it('takes OAEP for what it is, also where chance makes it look like PKCS #1 v1.5', () => {
    const { bytes } = seededRandom('OAEP that begins with 00 02');
    let seen = 0;
    for (let drawn = 0; drawn < 1500; drawn += 1) {
      const block = encodeEmeOaep(Buffer.from(key), 256, bytes, { hash: 'sha1' });
      assert.ok(block);
      if (!decodeEmePkcs1V15(block).ok) continue;
      seen += 1;
      const opened = openBlock(block);
      assert.equal(opened?.diagnosis?.code, 'oaep-sha1');
      assert.deepEqual(Buffer.from(opened.message).toString(), key);
    }
    assert.notEqual(seen, 0);
  });
});
