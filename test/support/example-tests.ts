import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { type Change, edit } from './example-application.ts';

/*
 * The test suites of examples/, in a copy of their folder, with their own test runner: the application as
 * it is passes, and with one line changed it fails exactly the test that is there for it.
 */

interface ExampleTests {
  /** Its folder below examples/. */
  readonly folder: string;
  /** The file that is changed to make the application wrong. */
  readonly file: string;
  /** The lines that its README says. */
  readonly command: string;
  /** Matches what the runner prints when all three tests pass. */
  readonly allPassed: RegExp;
  /** Matches each failed test; its group is the name. */
  readonly failed: RegExp;
}

interface ExampleFault {
  readonly change: Change;
  /** The one test that fails. */
  readonly fails: string;
}

/** Tests that the suite passes, and that each fault fails exactly its test. */
export function describeExampleTests(
  title: string,
  tests: ExampleTests,
  faults: readonly ExampleFault[],
): void {
  describe(title, () => {
    mkdirSync('test-artifacts', { recursive: true });
    const scratch = mkdtempSync(resolve('test-artifacts', 'example-tests-'));
    after(() => rmSync(scratch, { recursive: true, force: true }));

    it('pass', async () => {
      const { status, printed } = await runTests(tests, scratch);
      assert.equal(status, 0, printed);
      assert.match(printed, tests.allPassed);
    });

    for (const { change, fails } of faults) {
      it(`fail ${fails} of an application with ${change[1].trim()}`, async () => {
        const { status, printed } = await runTests(tests, scratch, change);
        assert.notEqual(status, 0, printed);
        const failed = [...printed.matchAll(tests.failed)].map(([, name]) => name);
        assert.deepEqual([...new Set(failed)], [fails], printed);
      });
    }
  });
}

function runTests(
  { folder, file, command }: ExampleTests,
  scratch: string,
  change?: Change,
): Promise<{ readonly status: number; readonly printed: string }> {
  const cwd = mkdtempSync(join(scratch, 'copy-'));
  cpSync(join('examples', folder), cwd, { recursive: true });
  if (change !== undefined) edit(join(cwd, file), [change]);
  const AUTHCLI = `${process.execPath} ${resolve('bin/authcli.js')}`;
  // The machine may be busy with other tests.
  const env = { ...process.env, AUTHCLI, AUTHCLI_TIMEOUT: '2m' };
  const options = { cwd, env, timeout: 600_000, maxBuffer: 2 ** 24 };
  return new Promise((done) => {
    execFile('sh', ['-ec', command], options, (error, stdout, stderr) => {
      done({ status: error === null ? 0 : Number(error.code ?? 1), printed: stdout + stderr });
    });
  });
}
