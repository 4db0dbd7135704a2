import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { application } from '../conformance/support.ts';
import { brief, exploreHandler } from './support.ts';

describe('explore, without a network', () => {
  it('finds nothing wrong with the reference application', async () => {
    const found = await exploreHandler(application(), { runs: 60, maxSteps: 20 });
    assert.equal(brief(found), '');
    assert.equal(found.sequences, 60);
  });

  /** Faults of state, each with the fewest steps that show it. */
  const least: Readonly<Record<string, string>> = {
    'keeps-first-key':
      'a registration was not accepted: key-exchange/valid@0, key-exchange/valid@0, registration/latest-key@0',
    'one-slot-for-all':
      'a registration was not accepted: key-exchange/valid@0, key-exchange/valid@1, registration/latest-key@0',
    'forgets-users':
      'a registration was not accepted: key-exchange/valid@0, registration/latest-key@0',
    'key-repeated':
      'a key exchange returned a key that was given out before: key-exchange/valid@0, key-exchange/valid@0',
  };

  for (const [fault, expected] of Object.entries(least)) {
    it(`finds ${fault}, and shrinks it to its least steps`, async () => {
      const found = await exploreHandler(application(fault), { maxSteps: 20 });
      assert.equal(brief(found), expected);
    });
  }
});
