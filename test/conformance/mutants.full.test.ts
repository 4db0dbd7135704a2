import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  applicationMutants,
  failedChecks,
  findingOf,
  type Mutant,
  serviceMutants,
  signinMutants,
} from './mutants.ts';
import { troubles } from './support.ts';

/*
 * Every mutant against the whole catalogue: the check that it names must fail with the diagnosis
 * that it names, and no other check may, unless it is among those that can't pass either.
 */

function findsEach(mutants: readonly Mutant[]): void {
  for (const mutant of mutants) {
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
}

describe('verify against each fault of the emulated application', { concurrency: 2 }, () => {
  findsEach(applicationMutants);
});

describe('verify-service against each wrong service', { concurrency: 4 }, () => {
  findsEach(serviceMutants);
});

describe('verify against each sign-in program that is wrong', { concurrency: 12 }, () => {
  findsEach(signinMutants);
});
