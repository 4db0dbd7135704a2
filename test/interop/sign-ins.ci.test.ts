import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { notInstalled } from '../../scripts/test/programs.ts';

/*
 * Sign-ins as they are written by hand, each a program that is run, against `authcli verify --signin` as it is
 * installed: without a fault, and with mistakes of that language.
 */

const programs = [
  {
    language: 'node',
    command: [process.execPath, 'test/interop/node/applications/sign-in.mjs'],
    faults: [
      ['forgotten-await', 'rejects-wrong-passcode', 'passcode-mismatch'],
      ['session-user', 'rejects-missing-user', 'other-user'],
      ['no-charset', 'content-type', undefined],
      ['swallows', 'rejects-token-code', 'accepted-bad-answer'],
    ],
  },
  {
    language: 'python',
    command: ['python3', 'test/interop/python/applications/sign_in.py'],
    faults: [
      ['bare-except', 'rejects-undecryptable', 'accepted-bad-answer'],
      ['int-code', 'compares-code-exactly', 'accepted-bad-answer'],
      ['follows-redirects', 'follows-no-redirect', 'accepted-bad-answer'],
      ['allows-outage', 'rejects-without-service', 'accepted-bad-answer'],
      ['sql-like', 'compares-exactly', 'passcode-mismatch'],
      ['sql-glob', 'compares-exactly', 'passcode-mismatch'],
      ['pattern', 'compares-exactly', 'passcode-mismatch'],
      ['prints-bytes', 'secrets-not-shown', undefined],
    ],
  },
  {
    language: 'php',
    command: ['php', 'test/interop/php/applications/sign-in.php'],
    faults: [
      ['loose', 'compares-exactly', 'passcode-mismatch'],
      ['false-passes', 'rejects-undecryptable', 'accepted-bad-answer'],
      ['form', 'token-fields', 'not-json'],
    ],
  },
] as const;

interface Document {
  readonly checks: readonly {
    readonly status: string;
    readonly diagnosis?: { readonly code: string };
  }[];
}

const folder = mkdtempSync(join(tmpdir(), 'authcli-sign-in-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function verify(argv: readonly string[], command: readonly string[]) {
  const config = ['--config', join(folder, 'config.json')];
  const line = [
    resolve('bin/authcli.js'),
    'verify',
    '--json',
    ...config,
    ...argv,
    '--signin',
    '--',
  ];
  const options = { timeout: 120_000, maxBuffer: 2 ** 26 };
  return new Promise<{ status: number; document: Document }>((done, reject) => {
    execFile(process.execPath, [...line, ...command], options, (error, stdout, stderr) => {
      const status = error === null ? 0 : Number(error.code);
      if (stdout === '') reject(new Error(stderr));
      else done({ status, document: JSON.parse(stdout) });
    });
  });
}

for (const { language, command, faults } of programs) {
  describe(`a sign-in in ${language}`, { skip: notInstalled(language) }, () => {
    it('passes, without a warning', async () => {
      const { status, document } = await verify([], command);
      const others = document.checks.filter((check) => check.status !== 'passed');
      assert.deepEqual(others, []);
      assert.equal(status, 0);
    });

    for (const [fault, check, diagnosis] of faults) {
      it(`with ${fault} fails ${check}`, async () => {
        const argv = ['--strict', '--check', `signin/${check}`];
        const { status, document } = await verify(argv, [...command, fault]);
        const [found] = document.checks;
        assert.equal(found?.status, 'failed', JSON.stringify(found));
        assert.equal(found.diagnosis?.code, diagnosis);
        assert.equal(status, 1);
      });
    }
  });
}
