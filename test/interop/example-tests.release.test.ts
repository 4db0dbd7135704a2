import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { notInstalled } from '../../scripts/test/programs.ts';
import { blocksOf, suiteSection } from '../pages/pages.ts';
import { edit, scratchFolder } from '../support/example-application.ts';

/*
 * The test suites of examples/, in a copy of their folder, with their own test runner: the application as
 * it is passes, and with one line changed it fails exactly the test that is there for it.
 */

interface Suite {
  readonly folder: string;
  readonly file: string;
  /** What makes the runner of the README print what is matched here. */
  readonly verbose?: readonly [from: string, to: string];
  /** Matches what the runner prints when all three tests pass. */
  readonly allPassed: RegExp;
  /** Matches each failed test; its group is the name. */
  readonly failed: RegExp;
  /** What one line is changed from and to, and the test that fails. */
  readonly faults: readonly (readonly [from: string, to: string, fails: string])[];
}

const suites: Readonly<Record<string, Suite>> = {
  go: {
    folder: 'go',
    file: 'application.go',
    verbose: ['go test', 'go test -v'],
    allPassed: /(?:^--- PASS[\s\S]*){3}^PASS$/m,
    failed: /^--- FAIL: (\w+)/gm,
    faults: [
      ['rand.Read(random)', 'rand.Read(nil)', 'TestCallbacksConform'],
      ['user).passcode)) != 1', 'user).passcode)) > 1', 'TestRefusesAnotherPasscode'],
      [
        'known, ok := users.Load(text(token, "ptn_cd"))',
        'call("/process/token", object{"ptn_token": fields["ptn_token"]}); known, ok := users.Load(text(token, "ptn_cd"))',
        'TestSignsInWithOneCallToEachEndpoint',
      ],
    ],
  },
  junit: {
    folder: 'java',
    file: 'Application.java',
    verbose: ['ConsoleLauncher', 'ConsoleLauncher --disable-ansi-colors'],
    allPassed: /3 tests successful/,
    failed: /MethodSource \[className = 'ApplicationTest', methodName = '(\w+)'/g,
    faults: [
      ['random.nextBytes(bytes)', 'bytes[0] = 1', 'callbacksConform'],
      ['if (!MessageDigest', 'if (false && !MessageDigest', 'refusesAnotherPasscode'],
      [
        'User user = users.get(text(token, "ptn_cd"));',
        'User user = users.get(text(call("/process/token", Map.of("ptn_token", text(fields, "ptn_token"))), "ptn_cd"));',
        'signsInWithOneCallToEachEndpoint',
      ],
    ],
  },
  phpunit: {
    folder: 'php',
    file: 'application.php',
    allPassed: /OK \(3 tests/,
    failed: /^\d+\) ApplicationTest::(\w+)/gm,
    faults: [
      ['bin2hex(random_bytes(16))', "str_repeat('k', 32)", 'testCallbacksConform'],
      ['if (!hash_equals', 'if (false && !hash_equals', 'testRefusesAnotherPasscode'],
      [
        "$user = loadUser($token['ptn_cd']);",
        "$user = loadUser(call('/process/token', ['ptn_token' => $fields['ptn_token']])['ptn_cd']);",
        'testSignsInWithOneCallToEachEndpoint',
      ],
    ],
  },
  pytest: {
    folder: 'python',
    file: 'application.py',
    allPassed: /3 passed/,
    failed: /^(?:FAILED|ERROR) test_application\.py::(\w+)/gm,
    faults: [
      ['secrets.token_hex(16)', '"k" * 32', 'test_callbacks_conform'],
      ['if not hmac', 'if False and not hmac', 'test_refuses_another_passcode'],
      [
        '    user = users[token["ptn_cd"]]\n',
        '    user = users[call("/process/token", ptn_token=fields["ptn_token"])["ptn_cd"]]\n',
        'test_signs_in_with_one_call_to_each_endpoint',
      ],
    ],
  },
  ruby: {
    folder: 'ruby',
    file: 'application.rb',
    allPassed: /3 runs, \d+ assertions, 0 failures, 0 errors/,
    failed: /^ +\d+\) (?:Failure|Error):\nApplicationTest#(\w+)/gm,
    faults: [
      ['SecureRandom.hex(16)', "'k' * 32", 'test_callbacks_conform'],
      [
        'unless OpenSSL.secure_compare(passcode, user.passcode)',
        'if passcode.empty?',
        'test_refuses_another_passcode',
      ],
      [
        "user = USERS.fetch(text(token, 'ptn_cd'))",
        "user = USERS.fetch(call('/process/token', ptn_token: fields['ptn_token'])['ptn_cd'])",
        'test_signs_in_with_one_call_to_each_endpoint',
      ],
    ],
  },
};

const scratch = scratchFolder();

/** What the suite prints, and how it ends. */
async function run({ folder, file, verbose = ['', ''] }: Suite, ...changes: [string, string][]) {
  const cwd = mkdtempSync(join(scratch, 'copy-'));
  cpSync(join('examples', folder), cwd, { recursive: true });
  edit(join(cwd, file), changes);
  const page = blocksOf(`examples/${folder}/README.md`);
  const shown = page.find(({ section }) => section === suiteSection)?.text ?? 'exit 1';
  const AUTHCLI = `${process.execPath} ${resolve('bin/authcli.js')}`;
  // The machine may be busy with other tests.
  const env = { ...process.env, AUTHCLI, AUTHCLI_TIMEOUT: '2m' };
  const options = { cwd, env, timeout: 600_000, maxBuffer: 2 ** 24 };
  const ended = promisify(execFile)('sh', ['-ec', shown.replace(...verbose)], options);
  const { code = 0, stdout, stderr } = await ended.catch((error) => error);
  return { status: Number(code), printed: stdout + stderr };
}

for (const [program, suite] of Object.entries(suites)) {
  describe(`the tests of the example by ${program}`, { skip: notInstalled(program) }, () => {
    it('pass', async () => {
      const { status, printed } = await run(suite);
      assert.equal(status, 0, printed);
      assert.match(printed, suite.allPassed);
    });

    for (const [from, to, fails] of suite.faults) {
      it(`fail ${fails} of an application with ${to.trim()}`, async () => {
        const { status, printed } = await run(suite, [from, to]);
        assert.notEqual(status, 0, printed);
        const failed = [...printed.matchAll(suite.failed)].map(([, name]) => name);
        assert.deepEqual([...new Set(failed)], [fails], printed);
      });
    }
  });
}

it('runs those of the example in Node by node:test and vitest, with the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-example-tests-'));
  execFileSync('npm', ['run', 'package', '--', folder]);
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  execFileSync('bash', ['.ci/examples', join(folder, tarball)]);
});
