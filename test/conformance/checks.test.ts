import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checks } from '../../src/conformance/catalogue.ts';
import { signinChecks } from '../../src/conformance/signin-catalogue.ts';
import { applicationFaults } from '../../src/emulator/faults.ts';
import { perUserKeyCodes, wrappedKeyCodes } from '../../src/errors.ts';
import { findingOf, mutants } from './mutants.ts';
import { troubles } from './support.ts';

/*
 * Each check against every mistake that is made for it: a fault of the emulated application, or a wrong sign-in program. A
 * new one is found here by itself; mutants.ci.test.ts runs mutants against the whole catalogue.
 */

/** Checks that judge what all others met. */
const overall = new Set([
  'protocol/http-status',
  'signin/no-retry-storm',
  'signin/works-afterwards',
]);

// Many at a time: where a service is silent, the time is that of waiting.
describe('a check finds what it is for', { concurrency: 16 }, () => {
  for (const mutant of mutants) {
    const { name, check, diagnosis } = mutant;
    it(`${check} finds ${name}, with ${diagnosis ?? 'no diagnosis'}`, async () => {
      const result = await mutant.verify(overall.has(check) ? undefined : { check: [check] });
      const { fault } = findingOf(mutant, result) ?? assert.fail(troubles(result).join('\n'));
      assert.equal(fault?.diagnosis?.code, diagnosis);
      for (const text of [fault?.expected, fault?.observed, fault?.fix]) assert.ok(text);
    });
  }

  it('and there is a mistake for each check of an application and of its sign-in', () => {
    const found = new Set(mutants.map(({ check }) => check));
    const missing = [...checks, ...signinChecks].filter(({ id }) => !found.has(id));
    assert.deepEqual(missing, []);
  });
});

it('the faults of the application cause every diagnosis of a wrapped key and of a key', () => {
  const caused = new Set<string>(applicationFaults.map(({ diagnosis }) => diagnosis));
  const missing = [...wrappedKeyCodes, ...perUserKeyCodes].filter((code) => !caused.has(code));
  assert.deepEqual(missing, []);
});
