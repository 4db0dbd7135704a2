import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import type { ExploreOptions } from '../../src/explore/explore.ts';
import { verifySignin } from '../conformance/signin-support.ts';
import { troubles } from '../conformance/support.ts';
import { rightApplication, styles } from '../explore/right-applications.ts';
import { SimulatedTime, sendOverConnections, simulatedApplication } from '../explore/simulated.ts';
import { brief, exploreHandler } from '../explore/support.ts';
import { faultsOfWatch } from '../monitor/long-watch.ts';
import { draws } from '../support/draws.ts';
import { otherRightPrograms, rightPrograms, signinProgram } from '../support/signin-program.ts';

/* What is right is blamed by nothing, however often it is tried: a false alarm misleads. */

/** Ciphers that show a wrong key in different ways, or not at all. */
const ciphers = [
  'aes-256-gcm?key=utf8&iv=prefix&tag=after-iv&ivlen=16',
  'aes-256-cbc?key=utf8&iv=key-head&padding=pkcs7&encoding=hex',
  'aes-256-cbc?key=evp-md5',
  'aes-256-ecb?key=sha256&padding=iso10126&encoding=base64url',
  'des-ede3-cbc?key=utf8&iv=prefix&padding=ansix923',
  'aes-256-ctr?key=utf8',
];

/** A right application, made anew. */
type Make = (seed: string) => Pick<ExploreOptions, 'send'> & Partial<ExploreOptions>;

const applications: readonly (readonly [name: string, make: Make])[] = [
  ...['default', ...ciphers].map((notation): [string, Make] => [
    notation,
    () => {
      const [time, cipher] = [new SimulatedTime(), parseCipher(notation)];
      return { send: sendOverConnections(simulatedApplication([], time, cipher), time), cipher };
    },
  ]),
  ...Object.entries(styles).map(([name, style]): [string, Make] => [
    name,
    (seed) => ({ send: sendOverConnections(rightApplication(style, seed), new SimulatedTime()) }),
  ]),
];

describe('explore', { concurrency: true }, () => {
  for (const [name, make] of applications) {
    it(`does not blame ${name}`, async () => {
      // In parts, since what is explored keeps its state in memory.
      for (let part = 0; part < draws(2); part += 1) {
        const seed = `${name} ${part}`;
        const found = await exploreHandler(undefined, { ...make(seed), seed, runs: 50 });
        assert.deepEqual([brief(found), found.sequences > 0], ['', true], seed);
      }
    });
  }
});

for (const concurrency of [1, 4]) {
  describe(`verify --signin, ${concurrency} at a time`, { concurrency }, () => {
    for (const name of [...rightPrograms, ...otherRightPrograms]) {
      it(`does not blame or skip ${name}`, async () => {
        for (let left = draws(1); left > 0; left -= 4)
          assert.deepEqual(troubles(await verifySignin(signinProgram(name))), []);
      });
    }
  });
}

describe('verify --every', () => {
  it('keeps its memory for weeks, and reports every change once', async () => {
    const times = draws(100);
    assert.deepEqual(await faultsOfWatch(times, 4), []);
  });
});
