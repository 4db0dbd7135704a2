import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countSteps } from '../../src/explore/sequence.ts';
import { application } from '../conformance/support.ts';
import { simulation } from './simulated.ts';
import { brief, exploreHandler } from './support.ts';

describe('explore, without a network', () => {
  it('finds nothing wrong with the reference application', async () => {
    const found = await exploreHandler(application(), { runs: 30, maxSteps: 20 });
    assert.equal(brief(found), '');
    assert.equal(found.sequences, 30);
  });

  const exchanged = 'key-exchange/valid@0';
  const refused = 'a registration was not accepted: ';
  const repeated = 'a key exchange returned a key that was given out before: ';
  const registered = 'registration/latest-key@0';
  /** Faults of state, each with the fewest steps that show it. */
  const least = {
    'keeps-first-key': `${refused}${exchanged}, ${exchanged}, ${registered}`,
    'one-slot-for-all': `${refused}${exchanged}, key-exchange/valid@1, ${registered}`,
    'forgets-users': `${refused}${exchanged}, ${registered}`,
    'key-repeated': `${repeated}${exchanged}, ${exchanged}`,
  };

  for (const [fault, expected] of Object.entries(least)) {
    it(`finds ${fault}, and shrinks it to its least steps`, async () => {
      const found = await exploreHandler(application(fault), { maxSteps: 20 });
      assert.equal(brief(found), expected);
    });
  }

  it('does not shrink a failure after which even a sign-up fails, and says so', async () => {
    const found = await exploreHandler(application('leftover-user-info'), { seed: 'leftover' });
    const [failure] = found.failures;
    assert.ok(failure !== undefined && failure.execution.sent.length > 2, brief(found));
    const { brokenSince, flaky, repeated, sequence, foundAfter } = failure;
    assert.deepEqual([brokenSince, flaky, repeated], [true, false, { failed: 0, of: 0 }]);
    assert.equal(countSteps(sequence), foundAfter);
  });

  it('sends what was at the same time on a connection of its own, where that is what matters', async () => {
    const found = await exploreHandler(undefined, {
      ...simulation('connection-caches-key'),
      seed: 's6', // found with callbacks at the same time
    });
    const [failure] = found.failures;
    assert.deepEqual(
      failure?.sequence.rounds.map((round) => round.map(({ fresh = false }) => fresh)),
      [[false], [true], [false]],
      brief(found),
    );
    assert.equal(failure?.onKeptConnectionOnly, true);
  });

  it('draws the same sequences for the same seed, whatever keys and codes they get', async () => {
    const drawn = async (seed: string) => {
      const { coverage } = await exploreHandler(application(), { seed, runs: 2 });
      return [...coverage];
    };
    assert.deepEqual(await drawn('one'), await drawn('one'));
    assert.notDeepEqual(await drawn('one'), await drawn('two'));
  });
});
