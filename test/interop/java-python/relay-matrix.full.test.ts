import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { relayMatrix } from '../../hardening/relay-matrix.ts';

/* Every pair of values; `npm run hardening -- relay-matrix` tries every combination. */
describe('services and applications in Python and Java behind the relay', () => {
  it('see what they see without it, while what they use is learned and what is wrong is diagnosed', async () => {
    const { rows, failures } = await relayMatrix({ quick: true });
    assert.deepEqual(failures, []);
    for (const { what, tried, count } of rows) assert.equal(count, tried, what);
  });
});
