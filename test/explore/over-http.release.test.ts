import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTransport } from '../../src/client/transport.ts';
import type { Exploration, ExploreOptions } from '../../src/explore/explore.ts';
import { countSteps } from '../../src/explore/sequence.ts';
import { application, countingClock, serve } from '../conformance/support.ts';
import { fewestSteps } from '../emulator/faults/sequences.ts';
import { brief, exploreHandler } from './support.ts';

/** Explores the reference application over HTTP as the command does; it is never started anew. */
async function exploreOverHttp(
  faults: readonly string[],
  changes: Partial<ExploreOptions>,
): Promise<Exploration> {
  const endpoint = await serve(application(...faults));
  const transport = createTransport({ timeoutMs: 60_000, now: countingClock() });
  try {
    return await exploreHandler(undefined, {
      url: endpoint.url,
      send: (request, connection) => transport.send(request, connection),
      prepare: () => transport.close(),
      ...changes,
    });
  } finally {
    await transport.close();
    await endpoint.close();
  }
}

describe('explore over HTTP', () => {
  const lost = ['keeps-three-users', 'bad-registration-deletes-user', 'returning-user-keeps-key'];
  const mixed = ['keeps-key-of-second-sign-up', 'unknown-user-gets-last-key', 'trims-user-code'];
  const ofConnections = ['caches-key', 'loses-fourth-key'].map((name) => `connection-${name}`);
  for (const name of [...lost, ...mixed, ...ofConnections, 'refusal-poisons-connection']) {
    it(`finds ${name}, and shrinks it to its fewest steps, or one more`, async () => {
      const exploration = await exploreOverHttp([name], { seed: 'http', runs: 200 });
      const [failure] = exploration.failures;
      assert.ok(failure !== undefined, 'a failure');
      assert.deepEqual([failure.flaky, failure.brokenSince], [false, false]);
      assert.ok(countSteps(failure.sequence) <= fewestSteps(name) + 1, brief(exploration));
    });
  }

  for (const concurrency of [1, 4]) {
    it(`finds nothing wrong with the right application, ${concurrency} at a time`, async () => {
      const exploration = await exploreOverHttp([], { seed: 'http', runs: 40, concurrency });
      assert.equal(brief(exploration), '');
      assert.equal(exploration.sequences, 40);
    });
  }
});
