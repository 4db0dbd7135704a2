import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampled, sampleSeed } from '../support/draws.ts';
import { failedChecks, findingOf, mutants } from './mutants.ts';
import { troubles } from './support.ts';

/*
 * Mutants against the whole catalogue: the check that it names must fail with the diagnosis
 * that it names, and no other check may, unless it is among those that can't pass either.
 */

describe(`the whole catalogue against a sample of ${sampleSeed}`, { concurrency: 4 }, () => {
  for (const mutant of sampled(mutants, 24)) {
    const { name, check, diagnosis } = mutant;
    it(`${name} fails ${check} with ${diagnosis ?? 'no diagnosis'}, and no other`, async () => {
      const result = await mutant.verify();
      const all = troubles(result).join('\n');
      const finding = findingOf(mutant, result);
      assert.ok(finding, all);
      assert.equal(finding.fault?.diagnosis?.code, diagnosis, all);
      assert.notEqual(finding.fault?.fix, '');
      const others = failedChecks(result).filter((id) => id !== check);
      assert.deepEqual(others.toSorted(), mutant.knockOn.toSorted(), all);
    });
  }
});
