import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isThorough } from '../support/draws.ts';
import { concurrentWriters, kills } from './concurrent-state.ts';
import { exploredSequences } from './explored-sequences.ts';
import { hostileResponses } from './hostile-responses.ts';
import { redaction } from './redaction.ts';
import { repeatedRuns } from './repeated-runs.ts';
import type { Section } from './section.ts';
import { signinPeers } from './signin-peers.ts';
import { signinStyleTrials } from './signin-styles.ts';
import { stateFaults } from './state-faults.ts';

/** Of these, CI tries a sample; `npm run test:release` tries everything. */
const sampled: readonly Section[] = [
  { name: 'hostile responses', run: hostileResponses },
  { name: 'state on faulty machines', run: stateFaults },
  { name: 'concurrent writers', run: concurrentWriters },
  { name: 'killed writers', run: kills },
  { name: 'redaction', run: redaction },
];

const others: readonly Section[] = [
  { name: 'hostile sign-in programs', run: signinPeers },
  { name: 'styles of a right sign-in', run: signinStyleTrials },
  { name: 'explored sequences', run: exploredSequences },
  { name: 'repeated runs', run: repeatedRuns },
];

/* What hostile peers, faulty networks and faulty machines do. */
describe('nothing crashes, hangs, is lost, is shown or is blamed wrongly', () => {
  for (const { name, run } of isThorough ? [...sampled, ...others] : sampled) {
    it(name, async () => {
      const { rows, failures } = await run({ quick: !isThorough });
      assert.deepEqual(failures, []);
      for (const { what, tried, atLeast } of rows)
        assert.ok(tried >= (isThorough ? atLeast : 1), `${what}: ${tried} tried`);
    });
  }
});
