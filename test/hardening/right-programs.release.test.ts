import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifySignin } from '../conformance/signin-support.ts';
import { troubles } from '../conformance/support.ts';
import { draws } from '../support/draws.ts';
import { otherRightPrograms, rightPrograms, signinProgram } from '../support/signin-program.ts';
import { faultsOfWatch } from './long-watch.ts';

/* What is right is blamed by nothing, however often it is tried: a false alarm misleads. */

for (const concurrency of [1, 4]) {
  describe(`verify --signin, ${concurrency} at a time`, { concurrency }, () => {
    for (const name of [...rightPrograms, ...otherRightPrograms]) {
      it(`does not blame or skip ${name}`, async () => {
        for (let left = draws(1); left > 0; left -= 5)
          assert.deepEqual(troubles(await verifySignin(signinProgram(name))), []);
      });
    }
  });
}

it('verify --every keeps its memory for weeks, and reports every change once', async () => {
  assert.deepEqual(await faultsOfWatch(draws(100), 4), []);
});
