import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { notInstalled } from '../../scripts/test/programs.ts';
import { authcli, scratchFolder, type VerifyOutput } from '../support/example-application.ts';

/*
 * Sign-ins as they are written by hand, each a program that is run, against `authcli verify --signin` as it is
 * installed: without a fault, and with mistakes of that language.
 */

const programs = {
  node: {
    command: [process.execPath, 'test/interop/node/applications/sign-in.mjs'],
    faults: [
      ['forgotten-await', 'rejects-wrong-passcode', 'passcode-mismatch'],
      ['session-user', 'rejects-missing-user', 'other-user'],
      ['no-charset', 'content-type', undefined],
      ['swallows', 'rejects-token-code', 'accepted-bad-answer'],
    ],
  },
  python: {
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
  php: {
    command: ['php', 'test/interop/php/applications/sign-in.php'],
    faults: [
      ['loose', 'compares-exactly', 'passcode-mismatch'],
      ['false-passes', 'rejects-undecryptable', 'accepted-bad-answer'],
      ['form', 'token-fields', 'not-json'],
    ],
  },
} as const;

const scratch = scratchFolder();

for (const [language, { command, faults }] of Object.entries(programs)) {
  describe(`a sign-in in ${language}`, { skip: notInstalled(language) }, () => {
    const verify = (argv: readonly string[], ...more: readonly string[]) => {
      const files = command.map((word) => (existsSync(word) ? resolve(word) : word));
      return authcli<VerifyOutput>(['verify', ...argv], scratch, [
        '--signin',
        '--',
        ...files,
        ...more,
      ]);
    };

    it('passes, without a warning', async () => {
      const { status, output } = await verify([]);
      const others = output.checks.filter((check) => check.status !== 'passed');
      assert.deepEqual(others, []);
      assert.equal(status, 0);
    });

    for (const [fault, check, diagnosis] of faults) {
      it(`with ${fault} fails ${check}`, async () => {
        const { status, output } = await verify(['--strict', '--check', `signin/${check}`], fault);
        const [found] = output.checks;
        assert.equal(found?.status, 'failed', JSON.stringify(found));
        assert.equal(found.diagnosis?.code, diagnosis);
        assert.equal(status, 1);
      });
    }
  });
}
