import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { notInstalled } from '../../scripts/test/programs.ts';
import { blocksOf, suiteSection } from '../pages/pages.ts';
import { type Change, edit, scratchFolder } from '../support/example-application.ts';

/*
 * The test suites of examples/, in a copy of their folder, with their own test runner: the application as
 * it is passes, and with one line changed it fails exactly the test that is there for it.
 */

/** What one line is changed from and to, and the test that fails. */
type Fault = readonly [from: string, to: string, fails: string];

/** Folder and file of the example, what names a failed test in the output of its runner, and a fault for each test. */
type Suite = readonly [folder: string, file: string, failed: RegExp, faults: readonly Fault[]];

const suites: Readonly<Record<string, Suite>> = {
  go: [
    'go',
    'application.go',
    /^--- FAIL: (\w+)/gm,
    [
      ['rand.Read(random)', 'rand.Read(nil)', 'TestCallbacksConform'],
      ['user).passcode)) != 1', 'user).passcode)) > 1', 'TestRefusesAnotherPasscode'],
      [
        'known, ok := users.Load(text(token, "ptn_cd"))',
        'call("/process/token", object{"ptn_token": fields["ptn_token"]}); known, ok := users.Load(text(token, "ptn_cd"))',
        'TestSignsInWithOneCallToEachEndpoint',
      ],
    ],
  ],
  junit: [
    'java',
    'Application.java',
    /MethodSource \[className = 'ApplicationTest', methodName = '(\w+)'/g,
    [
      ['random.nextBytes(bytes)', 'bytes[0] = 1', 'callbacksConform'],
      ['if (!MessageDigest', 'if (false && !MessageDigest', 'refusesAnotherPasscode'],
      [
        'User user = users.get(text(token, "ptn_cd"));',
        'User user = users.get(text(call("/process/token", Map.of("ptn_token", text(fields, "ptn_token"))), "ptn_cd"));',
        'signsInWithOneCallToEachEndpoint',
      ],
    ],
  ],
  phpunit: [
    'php',
    'application.php',
    /^\d+\) ApplicationTest::(\w+)/gm,
    [
      ['bin2hex(random_bytes(16))', "str_repeat('k', 32)", 'testCallbacksConform'],
      ['if (!hash_equals', 'if (false && !hash_equals', 'testRefusesAnotherPasscode'],
      [
        "$user = loadUser($token['ptn_cd']);",
        "$user = loadUser(call('/process/token', ['ptn_token' => $fields['ptn_token']])['ptn_cd']);",
        'testSignsInWithOneCallToEachEndpoint',
      ],
    ],
  ],
  pytest: [
    'python',
    'application.py',
    /^(?:FAILED|ERROR) test_application\.py::(\w+)/gm,
    [
      ['secrets.token_hex(16)', '"k" * 32', 'test_callbacks_conform'],
      ['if not hmac', 'if False and not hmac', 'test_refuses_another_passcode'],
      [
        'user = users[token["ptn_cd"]]',
        'user = users[call("/process/token", ptn_token=fields["ptn_token"])["ptn_cd"]]',
        'test_signs_in_with_one_call_to_each_endpoint',
      ],
    ],
  ],
  ruby: [
    'ruby',
    'application.rb',
    // where Rails is installed, Minitest prints as it does
    /^(?: +\d+\) )?(?:Failure|Error):\nApplicationTest#(\w+)/gm,
    [
      ['SecureRandom.hex(16)', "'k' * 32", 'test_callbacks_conform'],
      ['unless OpenSSL.secure', 'unless true || OpenSSL.secure', 'test_refuses_another_passcode'],
      [
        "user = USERS.fetch(text(token, 'ptn_cd'))",
        "user = USERS.fetch(call('/process/token', ptn_token: fields['ptn_token'])['ptn_cd'])",
        'test_signs_in_with_one_call_to_each_endpoint',
      ],
    ],
  ],
};

const scratch = scratchFolder();

/** How the suite ends, with these changes, and which of its tests fail. */
async function run([folder, file, failed]: Suite, ...changes: readonly Change[]) {
  const cwd = mkdtempSync(join(scratch, 'copy-'));
  cpSync(join('examples', folder), cwd, { recursive: true });
  edit(join(cwd, file), changes);
  const page = blocksOf(`examples/${folder}/README.md`);
  const shown = page.find(({ section }) => section === suiteSection)?.text ?? 'exit 1';
  const AUTHCLI = `${process.execPath} ${resolve('bin/authcli.js')}`;
  // The machine may be busy with other tests.
  const env = { ...process.env, AUTHCLI, AUTHCLI_TIMEOUT: '2m', NO_COLOR: '1' };
  const options = { cwd, env, timeout: 600_000, maxBuffer: 2 ** 24 };
  const ended = promisify(execFile)('sh', ['-ec', shown], options);
  const { code = 0, stdout, stderr } = await ended.catch((error) => error);
  const printed: string = stdout + stderr;
  const names = new Set([...printed.matchAll(failed)].map(([, name]) => name));
  return { status: Number(code), names: [...names], printed };
}

for (const [program, suite] of Object.entries(suites)) {
  describe(`the tests of the example by ${program}`, { skip: notInstalled(program) }, () => {
    it('pass', async () => {
      const { status, printed } = await run(suite);
      assert.equal(status, 0, printed);
    });

    for (const [from, to, fails] of suite[3]) {
      it(`fail ${fails} of an application with ${to}`, async () => {
        const { status, names, printed } = await run(suite, [from, to]);
        assert.notEqual(status, 0, printed);
        assert.deepEqual(names, [fails], printed);
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
