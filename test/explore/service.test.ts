import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
});
