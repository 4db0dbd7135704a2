import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signinChecks } from '../../src/conformance/signin-catalogue.ts';
import { rightPrograms, signinProgram, wrongPrograms } from '../support/signin-program.ts';
import { verifySignin } from './signin-support.ts';
import { troubles } from './support.ts';

describe('the checks of the sign-in pass', { concurrency: 4 }, () => {
  for (const name of rightPrograms) {
    it(`a right program: ${name}`, async () => {
      const result = await verifySignin(signinProgram(name));
      assert.deepEqual(troubles(result), []);
      assert.equal(result.checks.length, signinChecks.length);
    });
  }
});

describe('the checks of the sign-in catch', { concurrency: 4 }, () => {
  for (const { name, check, diagnosis, knockOn = [] } of wrongPrograms) {
    it(`a program that is wrong: ${name}, by ${check}`, async () => {
      const result = await verifySignin(signinProgram(name));
      const failed = result.checks.filter(({ fault }) => fault !== undefined);
      const named = failed.find((each) => each.check.id === check);
      assert.ok(named, troubles(result).join('\n'));
      assert.equal(named.fault?.diagnosis?.code, diagnosis);
      const others = failed.map((each) => each.check.id).filter((id) => id !== check);
      assert.deepEqual(others, knockOn, troubles(result).join('\n'));
      assert.notEqual(named.fault?.mend, '');
    });
  }

  it('and there is a wrong program for each of them', () => {
    const caught = new Set(wrongPrograms.map(({ check }) => check));
    const without = signinChecks.map(({ id }) => id).filter((id) => !caught.has(id));
    assert.deepEqual(without, []);
  });
});
