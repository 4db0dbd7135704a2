import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countSteps } from '../../src/explore/sequence.ts';
import { inTurn } from '../../src/explore/user-codes.ts';
import { exploreService, simulatedEndpoint } from './service-support.ts';
import { brief } from './support.ts';

describe('explore of a service, without a network', () => {
  for (const concurrency of [1, 4]) {
    it(`finds nothing wrong with the reference service, ${concurrency} at the same time`, async () => {
      const found = await exploreService(simulatedEndpoint(), { runs: 50, concurrency });
      assert.equal(brief(found), '');
      assert.equal(found.sequences, 50);
    });
  }

  it('has the same users in earlier sequences that are put in front of a failure', async () => {
    const { prepare: reset, ...endpoint } = simulatedEndpoint('passcode-of-user-before');
    const found = await exploreService(endpoint, {
      takeUsers: inTurn(['alice', 'bob', 'carol']),
      users: 3,
      seed: 'before 239', // fails because of an earlier sequence
      reset,
    });
    const [failure] = found.failures;
    assert.equal(failure?.flaky, false, brief(found));
    assert.ok(countSteps(failure.sequence) <= 6, brief(found));
  });
});
