import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { responses } from './hostile/responses.ts';
import { sections } from './sections.ts';

/**
 * Sections that are not for here: times are measured where the machine is idle, the tests of the command line search
 * their own output for secrets, the matrix of the relay has a test beside its programs, and the faults that are explored have
 * tests without a network.
 */
const excluded = new Set(['times', 'secrets', 'relay-matrix', 'explore-faults']);

/* A sample of each section; `npm run hardening` tries everything, and prints a table of it. */
describe('hardening', () => {
  for (const { name, run } of sections.filter((section) => !excluded.has(section.name))) {
    it(`${name}: nothing crashes, hangs, is lost or is shown`, async () => {
      const { rows, failures } = await run({ quick: true });
      assert.deepEqual(failures, []);
      for (const { what, tried } of rows) assert.ok(tried > 0, what);
    });
  }

  it('has a name of its own for each hostile response', () => {
    assert.equal(new Set(responses.map(({ name }) => name)).size, responses.length);
  });
});
