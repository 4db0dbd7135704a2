import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countSteps, ofOneUser } from '../../src/explore/sequence.ts';
import { shrink } from '../../src/explore/shrinking.ts';

describe('shortening a failure', () => {
  it('tries the last rounds first, where a long sequence would take too long to send', async () => {
    const passing: readonly string[] = Array(60).fill('key-exchange/valid');
    const failing = ['key-exchange/second-public-key', 'registration/latest-key'];
    const drawn = ofOneUser(...passing, ...failing);
    let sent = 0;
    const least = await shrink(drawn, async (sequence) => {
      sent += countSteps(sequence);
      const operations = sequence.rounds.flat().map(({ operation }) => operation);
      return operations.slice(-2).join() === failing.join();
    });
    assert.deepEqual(least, ofOneUser(...failing));
    assert.ok(sent < passing.length, `${sent} steps`);
  });
});
