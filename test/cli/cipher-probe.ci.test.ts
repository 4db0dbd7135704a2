import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type RunEnvironment, run } from '../support/run.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-probe-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const configFile = join(folder, 'config.json');

interface Probed {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `cipher probe` against an application of the emulator, in this process. */
async function probe(
  appArgs: readonly string[],
  argv: readonly string[] = ['--json'],
  environment: Partial<RunEnvironment> = {},
): Promise<Probed> {
  let probed: Probed | undefined;
  const emulated = await run(['emulate', 'app', ...appArgs, '--', 'probe'], {
    configFile,
    context: {
      randomBytes: seededBytes('application'),
      runChild: async ({ env }) => {
        probed = await run(['cipher', 'probe', ...argv], { configFile, env, ...environment });
        return probed.status;
      },
    },
  });
  assert.ok(probed, emulated.stderr);
  assert.equal(emulated.status, probed.status);
  return probed;
}

const aes = 'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64';

describe('cipher probe', () => {
  const ciphers = [
    aes,
    'aes-256-gcm?key=utf8&iv=prefix&encoding=base64&tag=after-iv&ivlen=12',
    'aes-256-cbc?key=evp-md5&padding=pkcs7&encoding=base64',
    'aes-128-cbc?key=utf8&iv=key-head&padding=pkcs7&encoding=base64',
  ];
  for (const cipher of ciphers) {
    it(`finds ${cipher}`, async () => {
      const { status, stdout } = await probe(['--cipher', cipher]);
      const document = JSON.parse(stdout);
      assert.equal(status, 0, stdout);
      assert.equal(document.cipher, cipher);
      assert.deepEqual(document.accepted, [cipher]);
      assert.ok(document.tried >= 32);
      assert.ok(document.test_users > document.tried);
    });
  }

  it('weighs it against the configured cipher, with both fixes, and saves nothing', async () => {
    const { status, stdout, stderr } = await probe(['--cipher', 'aes-256-ecb'], []);
    const cipher = 'aes-256-ecb?key=utf8&padding=pkcs7&encoding=base64';
    assert.equal(status, 0);
    const sentence =
      'cause: The application decrypts aes-256-ecb; authcli (the default) sends aes-256-cbc.';
    assert.ok(stdout.includes(sentence), stdout);
    assert.match(stdout, /fix: {3}If the service specifies aes-256-cbc, change the application/);
    assert.match(stdout, /Java: Cipher c = Cipher.getInstance\("AES\/CBC\/PKCS5Padding"\)/);
    assert.match(stdout, /If aes-256-ecb is right: `authcli config set cipher aes-256-ecb`\./);
    assert.ok(stdout.endsWith(`authcli config set cipher '${cipher}'\n`), stdout);
    assert.equal(stderr, '');
    assert.ok(!existsSync(configFile));
  });

  it('says so where the application decrypts the configured cipher', async () => {
    const argv = ['--cipher', 'aes-256-ecb'];
    const { stdout } = await probe(['--cipher', 'aes-256-ecb'], argv);
    assert.match(stdout, /✓ The application decrypts aes-256-ecb\?.*, as configured\.\n$/);
  });

  it('names where the configured cipher comes from, and gives the diagnosis to programs', async () => {
    const argv = ['--json', '--cipher', 'aes-256-gcm'];
    const { status, stdout } = await probe(['--cipher', 'aes-256-cbc'], argv);
    const { diagnosis, cipher } = JSON.parse(stdout);
    assert.equal(status, 0);
    assert.equal(cipher, aes);
    assert.equal(diagnosis.code, 'cipher-mismatch');
    assert.match(diagnosis.message, /authcli \(--cipher\) sends aes-256-gcm\.$/);
    assert.match(diagnosis.calls.python, /^AESGCM/);
  });

  it('proves that an application never decrypts', async () => {
    const { status, stdout } = await probe(['--fault', 'never-decrypts']);
    const { cipher, accepted, error, diagnosis } = JSON.parse(stdout);
    assert.equal(status, 1);
    assert.equal(cipher, null);
    assert.ok(accepted.length >= 32);
    assert.equal(error.code, 'never-decrypts');
    assert.equal(diagnosis.code, 'never-decrypts');
  });

  it('tries the cipher first that is given, then no more than --limit', async () => {
    const rare = 'aria-192-cfb?key=sha256&iv=key-tail&padding=none&encoding=hex';
    const given = await probe(['--cipher', rare], ['--json', '--cipher', rare, '--limit', '1']);
    assert.equal(JSON.parse(given.stdout).cipher, rare);
    const blind = await probe(['--cipher', rare], ['--json', '--limit', '3', '--no-user-info']);
    const { tried, error } = JSON.parse(blind.stdout);
    assert.equal(blind.status, 1);
    assert.equal(tried, 3);
    assert.equal(error.code, 'cipher-mismatch');
  });

  it('blames no key where its limit ended the search, and gives the command that tries the rest', async () => {
    const uncommon = 'aes-256-cbc?key=md5-hex&encoding=base64url';
    const argv = ['--json', '--no-user-info', '--limit', '40'];
    const { stdout } = await probe(['--cipher', uncommon], argv);
    const { error } = JSON.parse(stdout);
    assert.equal(error.code, 'cipher-mismatch');
    assert.match(error.message, /each of 40 ciphers.* isn't necessarily at fault/);
    assert.match(error.next, / --no-user-info --limit 75\d\d$| --limit 75\d\d .*--no-user-info/);
  });

  it('gives the diagnosis of a key exchange that fails', async () => {
    const { status, stdout } = await probe(['--fault', 'oaep-sha1']);
    assert.equal(status, 1);
    assert.equal(JSON.parse(stdout).error.code, 'oaep-sha1');
  });

  it('shows the wire under --trace, with user codes that can be found again', async () => {
    const { stderr } = await probe([], ['--json', '--trace', '--limit', '1']);
    assert.match(stderr, /"ptn_cd":"authcli-probe-[0-9a-f]{12}"/);
    assert.match(stderr, /"partner_sp":"[A-Za-z0-9+/]+=*"/);
  });

  it('exits 3 where nothing responds', async () => {
    const argv = ['cipher', 'probe', '--url', 'http://127.0.0.1:1/callback', '--json'];
    const { status, stdout } = await run(argv, { configFile });
    assert.equal(status, 3);
    const { error, accepted, cipher } = JSON.parse(stdout);
    assert.equal(error.code, 'refused');
    assert.deepEqual([accepted, cipher], [[], null]);
  });
});
