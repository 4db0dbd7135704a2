import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { checks as callbackChecks } from '../../src/conformance/catalogue.ts';
import { signinChecks } from '../../src/conformance/signin-catalogue.ts';
import { freePort } from '../support/free-port.ts';
import { violations } from '../support/json-schema.ts';
import { type RunEnvironment, run } from '../support/run.ts';
import { signinProgram } from '../support/signin-program.ts';
import { wholeApplication } from '../support/whole-application.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-verify-signin-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = (name: string) => join(folder, name);
const schema = JSON.parse(readFileSync('schemas/verify-1.json', 'utf8'));

interface CheckJson {
  readonly id: string;
  readonly status: string;
}

const verify = (argv: readonly string[], environment: Partial<RunEnvironment> = {}) =>
  run(['verify', ...argv], { configFile: path('config.json'), cwd: folder, ...environment });

function skippedOf({ checks }: { readonly checks: readonly CheckJson[] }): readonly string[] {
  return checks.filter(({ status }) => status === 'skipped').map(({ id }) => id);
}

describe('verify --signin-url', () => {
  it('signs users up at the callback, has them sign in, and passes a right application', async () => {
    const app = await wholeApplication(signinProgram('plain'));
    const argv = ['--url', app.callbackUrl, ...app.argv, '--json'];
    const { status, stdout } = await verify(argv);
    await app.close();
    const document = JSON.parse(stdout);
    assert.equal(status, 0, stdout);
    assert.deepEqual(violations(document, schema), []);
    // The application's {auth_url} is fixed, and not https.
    assert.deepEqual(skippedOf(document), ['signin/stays-on-https']);
    assert.equal(document.summary.passed, callbackChecks.length + signinChecks.length - 1);
    assert.ok(new Set(app.signins).size === app.signins.length && app.signins.length > 15);
    assert.equal(document.url, app.callbackUrl);
    for (const { key } of app.users.values()) assert.ok(!stdout.includes(key));
  });

  for (const [fault, check] of [
    ['never-compares', 'signin/rejects-wrong-passcode'],
    ['one-key-for-all', 'signin/accepts-right-sign-in'],
  ] as const) {
    it(`catches one that is wrong: ${fault}`, async () => {
      const app = await wholeApplication(signinProgram(fault));
      const only = ['--check', 'signin', '--json'];
      const { status, stdout } = await verify(['--url', app.callbackUrl, ...app.argv, ...only]);
      await app.close();
      const { checks } = JSON.parse(stdout) as { checks: readonly CheckJson[] };
      const troubled = checks.filter((each) => each.status === 'failed').map(({ id }) => id);
      assert.equal(status, 1);
      assert.deepEqual(troubled, [check]);
    });
  }

  it('signs a user in whose key and passcode are given', async () => {
    const app = await wholeApplication(signinProgram('plain'));
    const alice = {
      ptnCd: 'alice',
      key: 'abcdefghijklmnopqrstuvwxyz012345',
      superPasscode: 'p-1Aa',
    };
    app.users.set(alice.ptnCd, alice);
    const user = ['--ptn-cd', 'alice', '--key', alice.key, '--super-passcode', alice.superPasscode];
    const { status, stdout } = await verify([...app.argv, ...user, '--json']);
    await app.close();
    assert.equal(status, 0, stdout);
    const document = JSON.parse(stdout);
    const untestable = ['signin/stays-on-https', 'signin/passcode-of-that-user'];
    assert.deepEqual(skippedOf(document), untestable);
    assert.equal(document.summary.passed, signinChecks.length - untestable.length);
  });

  it('counts what a locked user keeps from being tested, and fails under --strict', async () => {
    const app = await wholeApplication(signinProgram('locks'));
    const alice = { ptnCd: 'alice', key: 'k'.repeat(32), superPasscode: 'p-1Aa' };
    app.users.set(alice.ptnCd, alice);
    const user = ['--ptn-cd', 'alice', '--key', alice.key, '--super-passcode', alice.superPasscode];
    const only = ['--check', 'signin/rejects-*-code', '--check', 'signin/compares-*'];
    const { status, stdout, stderr } = await verify([...app.argv, ...user, ...only, '--strict']);
    await app.close();
    assert.equal(status, 1, stdout);
    assert.match(stdout, /[2-9] decisions of the sign-in were not tested: signin\//);
    assert.match(stderr, /error: [2-9] decisions of the sign-in were not tested/);
  });

  it('exits 3 where nothing responds there', async () => {
    const user = ['--ptn-cd', 'alice', '--key', 'k'.repeat(32), '--super-passcode', 'p'];
    const address = [
      '--signin-url',
      'http://127.0.0.1:1/',
      '--auth-port',
      String(await freePort()),
    ];
    assert.equal((await verify([...address, ...user])).status, 3);
  });
});
