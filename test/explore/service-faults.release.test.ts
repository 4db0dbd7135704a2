import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byExplore } from '../../src/emulator/faults/points.ts';
import { serviceFaults } from '../../src/emulator/faults.ts';
import { countSteps } from '../../src/explore/sequence.ts';
import { serviceOperations } from '../../src/explore/service-operations.ts';
import { exploreService, simulatedEndpoint } from './service-support.ts';
import { brief } from './support.ts';

describe('explore, faults of a service in sequences of sign-ins', () => {
  const faults = serviceFaults.filter(({ check }) => check === byExplore);

  it('are at least fifteen', () => {
    assert.ok(faults.length >= 15);
  });

  for (const { name, steps } of faults) {
    it(`finds ${name}, and shrinks it to its fewest steps, or one more`, async () => {
      assert.ok(steps !== undefined, 'a fault with `steps`');
      const exploration = await exploreService(simulatedEndpoint(name), { runs: 300 });
      const [failure] = exploration.failures;
      assert.ok(failure !== undefined, 'a failure');
      assert.equal(failure.flaky, false);
      assert.ok(countSteps(failure.sequence) <= steps + 1, brief(exploration));
    });
  }

  it('sends every operation', async () => {
    const found = await exploreService(simulatedEndpoint(), { runs: 500 });
    assert.equal(brief(found), '');
    const operations = new Set(
      [...found.coverage.entries.keys()].map((name) => name.split(' ')[0]),
    );
    assert.equal(operations.size, serviceOperations.length);
  });
});
