import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signinChecks } from '../../src/conformance/signin-catalogue.ts';
import { signinProgram } from '../support/signin-program.ts';
import { signinStyles } from '../support/signin-styles/styles.ts';
import { rightPrograms } from '../support/signin-wrong-programs.ts';
import { verifySignin } from './signin-support.ts';
import { troubles } from './support.ts';

/* `npm run hardening -- styles` tries every style, many times. */
const programs = [
  ...rightPrograms.map((name) => [name, signinProgram(name)] as const),
  ['first-of-duplicates', signinStyles['first-of-duplicates']()] as const,
];

describe('the checks of the sign-in pass', { concurrency: 4 }, () => {
  for (const [name, program] of programs) {
    it(`a right program: ${name}`, async () => {
      const result = await verifySignin(program);
      assert.deepEqual(troubles(result), []);
      assert.equal(result.checks.length, signinChecks.length);
    });
  }
});
