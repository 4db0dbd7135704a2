import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { it } from 'node:test';
import { authcli, scratchFolder, type VerifyOutput } from '../../support/example-application.ts';

/*
 * A sign-in as it is written by hand, a program that is run, against `authcli verify --signin` as it is installed. Its
 * mistakes are in test/support/signin-mistakes.ts, and sign-ins in other languages in examples.ci.test.ts.
 */

const scratch = scratchFolder();
const program = [process.execPath, resolve('test/interop/node/sign-in.mjs')];

const verify = (argv: readonly string[], ...faults: readonly string[]) => {
  const command = ['--signin', '--', ...program, ...faults];
  return authcli<VerifyOutput>(['verify', ...argv], scratch, command);
};

it('a sign-in that is run as a program passes, without a warning', async () => {
  const { status, output } = await verify([]);
  assert.deepEqual(
    output.checks.filter((check) => check.status !== 'passed'),
    [],
  );
  assert.equal(status, 0);
});

it('one that forgets an await fails the check of the passcode', async () => {
  const check = 'signin/rejects-wrong-passcode';
  const { status, output } = await verify(['--strict', '--check', check], 'forgotten-await');
  const found = output.checks.map(({ id, status, diagnosis }) => [id, status, diagnosis?.code]);
  assert.deepEqual([status, found], [1, [[check, 'failed', 'passcode-mismatch']]]);
});
