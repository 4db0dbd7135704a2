import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';

/*
 * Sign-ins that were written by hand, each a program that is run, against `authcli verify --signin`
 * as it is installed.
 */

/** A mistake of a program, and the check that must say so. */
export interface WrongSignin {
  readonly fault: string;
  readonly check: string;
  readonly diagnosis?: string;
}

interface Document {
  readonly checks: readonly {
    readonly id: string;
    readonly status: string;
    readonly diagnosis?: { readonly code: string };
  }[];
}

/** Bounds every process, should a test be cut short. */
const longestMs = 120_000;

/** Tests that the program passes every check without a fault, and that each of its faults is caught. */
export function describeSignin(
  title: string,
  command: readonly string[],
  faults: readonly WrongSignin[],
): void {
  describe(title, () => {
    const folder = mkdtempSync(join(tmpdir(), 'authcli-sign-in-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const config = join(folder, 'config.json');

    it('passes, without a warning', async () => {
      const { status, document } = await verify(['--config', config], command);
      assert.deepEqual(
        document.checks.filter((check) => check.status !== 'passed'),
        [],
      );
      assert.equal(status, 0);
    });

    for (const { fault, check, diagnosis } of faults) {
      it(`with ${fault} fails ${check}`, async () => {
        const argv = ['--config', config, '--strict', '--check', check];
        const { status, document } = await verify(argv, [...command, fault]);
        const [found] = document.checks;
        assert.equal(found?.status, 'failed', JSON.stringify(found));
        assert.equal(found.diagnosis?.code, diagnosis);
        assert.equal(status, 1);
      });
    }
  });
}

function verify(
  argv: readonly string[],
  command: readonly string[],
): Promise<{ readonly status: number; readonly document: Document }> {
  const line = [resolve('bin/authcli.js'), 'verify', '--json', ...argv, '--signin', '--'];
  const options = { timeout: longestMs, maxBuffer: 2 ** 26 };
  return new Promise((done, reject) => {
    execFile(process.execPath, [...line, ...command], options, (error, stdout, stderr) => {
      const status = error === null ? 0 : Number(error.code);
      if (stdout === '') reject(new Error(stderr));
      else done({ status, document: JSON.parse(stdout) });
    });
  });
}
