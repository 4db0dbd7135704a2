import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCipher } from '../../src/crypto/cipher.ts';
import { rightApplication, styles } from '../explore/right-applications.ts';
import { SimulatedTime, sendOverConnections, simulatedApplication } from '../explore/simulated.ts';
import { brief, exploreHandler } from '../explore/support.ts';
import { draws } from '../support/draws.ts';

/* What is right is blamed by nothing, however often it is explored: a false alarm misleads. */

/** Explores an application anew in each of several parts, since its state is in memory. */
async function assertUnblamed(
  parts: number,
  name: string,
  make: (time: SimulatedTime, seed: string) => ReturnType<typeof simulatedApplication>,
  notation = 'default',
): Promise<void> {
  for (let part = 0; part < draws(parts); part += 1) {
    const [time, cipher, seed] = [new SimulatedTime(), parseCipher(notation), `${name} ${part}`];
    const send = sendOverConnections(make(time, seed), time);
    const found = await exploreHandler(undefined, { send, cipher, seed, runs: 50 });
    assert.deepEqual([brief(found), found.sequences > 0], ['', true], seed);
  }
}

describe('explore', () => {
  // They show a wrong key in different ways, or not at all.
  for (const notation of [
    'default',
    'aes-256-gcm?key=utf8&iv=prefix&tag=after-iv&ivlen=16',
    'aes-256-cbc?key=utf8&iv=key-head&padding=pkcs7&encoding=hex',
    'aes-256-cbc?key=evp-md5',
    'aes-256-ecb?key=sha256&padding=iso10126&encoding=base64url',
    'des-ede3-cbc?key=utf8&iv=prefix&padding=ansix923',
    'aes-256-ctr?key=utf8',
  ]) {
    it(`does not blame the emulated application with ${notation}`, async () => {
      const make = (time: SimulatedTime) => simulatedApplication([], time, parseCipher(notation));
      await assertUnblamed(0.5, notation, make, notation);
    });
  }

  for (const [name, style] of Object.entries(styles)) {
    it(`does not blame an application: ${name}`, async () => {
      await assertUnblamed(0.7, name, (_, seed) => rightApplication(style, seed));
    });
  }
});
