import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fixture } from '../support/fixtures.ts';
import { run } from '../support/run.ts';
import { startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-key-text-'));
let configs = 0;
const freshConfig = (): string => join(folder, String(configs++), 'config.json');
after(() => rmSync(folder, { recursive: true, force: true }));

const spki = { type: 'spki', format: 'der' } as const;
const inspect = async (text: string) =>
  run(['key', 'inspect', text, '--json'], { configFile: freshConfig() });

describe('key inspect', () => {
  for (const [title, key] of [
    ['an elliptic curve', generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey],
    ['Ed25519', generateKeyPairSync('ed25519').publicKey],
    ['RSA-PSS', generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey],
  ] as const) {
    it(`exits 1 for ${title}, which can't be used as public_key`, async () => {
      const text = key.export(spki).toString('base64');
      const { status, stdout } = await inspect(text);
      const { kind, ok, error } = JSON.parse(stdout);
      assert.equal(status, 1);
      assert.deepEqual([kind, ok], ['public-key', false]);
      assert.match(error.message, /^It can't be used as public_key: /);
    });
  }

  it('reads a file that is open to others without a word: most such keys are public', async () => {
    const open = mkdtempSync(join(tmpdir(), 'authcli-key-open-'));
    chmodSync(open, 0o755);
    for (const mode of [0o644, 0o666]) {
      const file = join(open, `key-${mode}.pem`);
      writeFileSync(file, fixture('keys/public.spki.pem'));
      chmodSync(file, mode);
      const { status, stderr } = await inspect(`@${file}`);
      assert.deepEqual([status, stderr], [0, '']);
    }
    rmSync(open, { recursive: true });
  });

  for (const file of [
    'public.spki.pem',
    'public.pkcs1.pem',
    'certificate.pem',
    'private.pkcs8.pem',
  ]) {
    it(`exits 0 for ${file}`, async () => {
      assert.equal((await inspect(`@fixtures/keys/${file}`)).status, 0);
    });
  }

  it('exits 0 for a per-user key', async () => {
    assert.equal((await inspect('Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE')).status, 0);
  });

  it('says why a PEM argument is refused, and how to give it', async () => {
    const { status, stderr } = await run(['key', 'inspect', '-----BEGIN PUBLIC KEY-----'], {
      configFile: freshConfig(),
    });
    assert.equal(status, 2);
    assert.match(stderr, /begins like an option/);
    assert.match(stderr, /@key\.pem/);
  });
});

describe('key unwrap without --private-key', () => {
  it('says which key pair it uses, also for a size that was used once', async () => {
    const application = await startSide(['app', '--show-secrets'], { configFile: freshConfig() });
    const configFile = freshConfig();
    const exchange = ['simulate-key-exchange', '--url', application.url];
    await run(exchange, { configFile });
    await run([...exchange, '--key-bits', '3072'], { configFile });
    const { stdout } = await application.stop();
    const wrapped = [...stdout.matchAll(/enc_partner_key\\?":\\?"([A-Za-z0-9+/=]+)/g)].map(
      ([, text = '']) => text,
    );
    for (const [bytes, bits] of [
      [256, 2048],
      [384, 3072],
    ] as const) {
      const text = wrapped.find((one) => Buffer.from(one, 'base64').length === bytes) ?? '';
      const { status, stderr } = await run(['key', 'unwrap', text], { configFile });
      assert.equal(status, 0, stderr);
      assert.match(
        stderr.replaceAll('\n', ' '),
        new RegExp(
          `the service key pair of the profile default is used \\(${bits} bits, public key sha256:[0-9a-f]{12}\\), then 1 other key pair`,
        ),
      );
    }
  });
});
