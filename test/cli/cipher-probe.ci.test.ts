import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { RunResult } from '../support/run.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { workspace } from './workspace.ts';

const { configFile, cli } = workspace();

/** Runs `cipher probe` against an application of the emulator, in this process. */
async function probe(
  appArgs: readonly string[],
  argv: readonly string[] = ['--json'],
): Promise<RunResult> {
  let probed: RunResult | undefined;
  const emulated = await cli(['emulate', 'app', ...appArgs, '--', 'probe'], {
    context: {
      randomBytes: seededBytes('application'),
      runChild: async ({ env }) => {
        probed = await cli(['cipher', 'probe', ...argv], { env: env as Record<string, string> });
        return { status: probed.status, timedOut: false, output: '' };
      },
    },
  });
  assert.ok(probed, emulated.stderr);
  assert.equal(emulated.status, probed.status);
  return probed;
}

const aes = 'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64';
const rare = ['--cipher', 'aria-192-cfb?key=sha256&iv=key-tail&padding=none&encoding=hex'];

describe('cipher probe', () => {
  it('weighs it against the configured cipher, with both fixes, and saves nothing', async () => {
    const { status, stdout, stderr } = await probe(
      ['--cipher', 'aes-256-ecb'],
      ['--stack', 'java'],
    );
    assert.deepEqual([status, stderr], [0, '']);
    const sentence =
      'cause: The application decrypts aes-256-ecb; authcli (the default) sends aes-256-cbc.';
    assert.ok(stdout.includes(sentence), stdout);
    assert.match(stdout, /fix: {3}If the service specifies aes-256-cbc, change the application/);
    assert.match(stdout, /Java: Cipher c = Cipher.getInstance\("AES\/CBC\/PKCS5Padding"\)/);
    const set = "authcli config set cipher 'aes-256-ecb?key=utf8&padding=pkcs7&encoding=base64'\n";
    assert.ok(stdout.endsWith(set), stdout);
    assert.ok(!existsSync(configFile));
    const configured = await probe(['--cipher', 'aes-256-ecb'], ['--cipher', 'aes-256-ecb']);
    const agree = /✓ The application decrypts aes-256-ecb\?.*, as configured\.\n$/;
    assert.match(configured.stdout, agree);
  });

  it('names where the configured cipher comes from, and gives the diagnosis to programs', async () => {
    const argv = ['--json', '--cipher', 'aes-256-gcm'];
    const { stdout } = await probe(['--cipher', aes], argv);
    const { diagnosis, cipher, accepted, tried, test_users: users } = JSON.parse(stdout);
    assert.deepEqual([cipher, accepted, diagnosis.code], [aes, [aes], 'cipher-mismatch']);
    assert.ok(tried >= 32 && users > tried);
    assert.match(diagnosis.message, /authcli \(--cipher\) sends aes-256-gcm\.$/);
    assert.match(diagnosis.calls.python, /^AESGCM/);
  });

  it('tries the cipher first that is given, then no more than --limit', async () => {
    const given = await probe(rare, ['--json', ...rare, '--limit', '1', '--trace']);
    assert.equal(JSON.parse(given.stdout).cipher, rare[1]);
    assert.match(given.stderr, /"ptn_cd":"authcli-probe-[0-9a-f]{6}"/);
    const blind = await probe(rare, ['--json', '--no-user-info', '--limit', '3']);
    const { tried, error } = JSON.parse(blind.stdout);
    assert.deepEqual([blind.status, tried, error.code], [1, 3, 'cipher-mismatch']);
    assert.match(error.message, /each of 3 ciphers.* isn't necessarily at fault/);
    assert.match(error.next, / --no-user-info --limit 75\d\d$| --limit 75\d\d .*--no-user-info/);
  });

  for (const fault of ['never-decrypts', 'oaep-sha1']) {
    it(`diagnoses an application with the fault ${fault}`, async () => {
      const { status, stdout } = await probe(['--fault', fault]);
      const { cipher, accepted, error } = JSON.parse(stdout);
      assert.deepEqual([status, cipher, error.code], [1, null, fault]);
      assert.equal(accepted.length >= 32, fault === 'never-decrypts');
    });
  }
});
