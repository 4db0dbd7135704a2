import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { byExplore } from '../../src/emulator/faults/points.ts';
import { connectionFaults } from '../../src/emulator/faults/sequences.ts';
import { applicationFaults } from '../../src/emulator/faults.ts';
import { countSteps } from '../../src/explore/sequence.ts';
import { fewestSteps } from '../emulator/faults/sequences.ts';
import { simulation } from './simulated.ts';
import { brief, exploreHandler } from './support.ts';

/*
 * Each fault of state is found and shrunk by one run with its defaults. It is counted in callbacks, since no test
 * depends on time: over HTTP, an idle machine sends more than a hundred a second, 4500 in 45 seconds.
 */
const mostCallbacks = 4500;
const ofConnections = new Set<string>(connectionFaults.map(({ name }) => name));
/** 10 seconds. */
const mostInMedian = 1000;

describe('explore, faults of state in simulation', () => {
  const foundAfter: number[] = [];
  after(() => {
    const median = foundAfter.sort((one, other) => one - other)[foundAfter.length >> 1] ?? 0;
    assert.ok(median < mostInMedian, `a median of ${median} callbacks`);
  });

  for (const { name, check, diagnosis } of applicationFaults) {
    if (check !== byExplore) continue;
    it(`finds ${name}, shrinks it to its fewest steps, or one more, and says what it is: ${diagnosis}`, async () => {
      let sent = 0;
      const exploration = await exploreHandler(undefined, {
        ...simulation(name),
        seed: 'faults',
        runs: 400,
        onProgress: (progress) => {
          if (!progress.isShrinking) sent = progress.steps;
        },
      });
      const [failure] = exploration.failures;
      assert.ok(failure !== undefined, 'a failure');
      const { flaky, brokenSince, onKeptConnectionOnly } = failure;
      const expected = [false, false, ofConnections.has(name)];
      assert.deepEqual([flaky, brokenSince, onKeptConnectionOnly], expected);
      assert.ok(countSteps(failure.sequence) <= fewestSteps(name) + 1, brief(exploration));
      assert.equal(failure.execution.violation.diagnosis?.code, diagnosis, brief(exploration));
      assert.ok(sent <= mostCallbacks, `after ${sent} callbacks`);
      foundAfter.push(sent);
    });
  }
});
