import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signinChecks } from '../../src/conformance/signin-catalogue.ts';
import { signinProgram } from '../support/signin-program.ts';
import { rightPrograms } from '../support/signin-wrong-programs.ts';
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
