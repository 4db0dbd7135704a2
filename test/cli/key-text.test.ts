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
chmodSync(folder, 0o755);
after(() => rmSync(folder, { recursive: true, force: true }));
const configFile = join(folder, 'config.json');
const inspect = (text: string) => run(['key', 'inspect', text, '--json'], { configFile });

describe('key inspect', () => {
  for (const { publicKey } of [
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('ed25519'),
    generateKeyPairSync('rsa-pss', { modulusLength: 2048 }),
  ]) {
    it(`exits 1 for ${publicKey.asymmetricKeyType}, which can't be used as public_key`, async () => {
      const spki = publicKey.export({ type: 'spki', format: 'der' });
      const { status, stdout } = await inspect(spki.toString('base64'));
      const { kind, ok, error } = JSON.parse(stdout);
      assert.deepEqual([status, kind, ok], [1, 'public-key', false]);
      assert.match(error.message, /^It can't be used as public_key: /);
    });
  }

  it('reads a file that is open to others without a word: most such keys are public', async () => {
    for (const mode of [0o644, 0o666]) {
      const file = join(folder, `key-${mode}.pem`);
      writeFileSync(file, fixture('keys/public.spki.pem'));
      chmodSync(file, mode);
      const { status, stderr } = await inspect(`@${file}`);
      assert.deepEqual([status, stderr], [0, '']);
    }
  });

  for (const text of [
    ...['public.spki.pem', 'public.pkcs1.pem', 'certificate.pem', 'private.pkcs8.pem'].map(
      (file) => `@fixtures/keys/${file}`,
    ),
    'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE',
  ]) {
    it(`exits 0 for ${text}`, async () => {
      assert.equal((await inspect(text)).status, 0);
    });
  }
});

it('key unwrap names the key pair that it uses by default, also for a size that was used once', async () => {
  const app = ['app', '--show-secrets'];
  const application = await startSide(app, { configFile: join(folder, 'app.json') });
  const exchange = ['simulate-key-exchange', '--url', application.url];
  await run(exchange, { configFile });
  await run([...exchange, '--key-bits', '3072'], { configFile });
  const { stdout } = await application.stop();
  const found = stdout.matchAll(/enc_partner_key\\?":\\?"([A-Za-z0-9+/=]+)/g);
  const wrapped = [...found].map(([, text = '']) => text);
  for (const bits of [2048, 3072]) {
    const text = wrapped.find((one) => Buffer.from(one, 'base64').length === bits / 8) ?? '';
    const { status, stderr } = await run(['key', 'unwrap', text], { configFile });
    assert.equal(status, 0, stderr);
    const pair = `\\(${bits} bits, public key sha256:[0-9a-f]{12}\\), then 1 other key pair`;
    const used = `the service key pair of the profile default is used ${pair}`;
    assert.match(stderr.replaceAll('\n', ' '), new RegExp(used));
  }
});
