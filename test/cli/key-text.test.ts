import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fixture } from '../support/fixtures.ts';
import { startSide } from '../support/side.ts';
import { workspace } from './workspace.ts';

const { folder, path, save, freshConfig, cli, cliJson } = workspace();

describe('key inspect', () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  for (const [text, status, kind, message] of [
    [spki, 1, 'public-key', /^It can't be used as public_key: /],
    ['@public.spki.pem', 0, 'public-key'],
    ['@certificate.pem', 0, 'certificate'],
    ['@private.pkcs8.pem', 0, 'private-key'],
    ['Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE', 0, 'per-user-key'],
  ] as const) {
    it(`exits ${status} for ${text}, also in a file that is open to others`, async () => {
      if (text.startsWith('@')) {
        save(text.slice(1), fixture(`keys/${text.slice(1)}`));
        chmodSync(path(text.slice(1)), 0o666);
        chmodSync(folder, 0o755);
      }
      const { stderr, json, ...end } = await cliJson(['key', 'inspect', text]);
      assert.deepEqual([end.status, json.kind, stderr], [status, kind, '']);
      if (message) assert.match(json.error.message, message);
    });
  }
});

it('key unwrap names the key pair that it uses by default, also for a size that was used once', async () => {
  const app = await startSide(['app', '--show-secrets'], { configFile: freshConfig() });
  for (const bits of ['2048', '3072'])
    await cli(['simulate-key-exchange', '--url', app.url, '--key-bits', bits]);
  const { stdout } = await app.stop();
  const found = [...stdout.matchAll(/enc_partner_key\\?":\\?"([A-Za-z0-9+/=]+)/g)];
  const wrapped = new Set(found.map(([, text = '']) => text));
  assert.equal(wrapped.size, 2);
  for (const text of wrapped) {
    const { status, stderr } = await cli(['key', 'unwrap', text]);
    assert.equal(status, 0, stderr);
    const bits = 8 * Buffer.from(text, 'base64').length;
    const pair = `\\(${bits} bits, public key sha256:[0-9a-f]{12}\\), then 1 other key pair`;
    const used = `the service key pair of the profile default is used ${pair}`;
    assert.match(stderr.replaceAll('\n', ' '), new RegExp(used));
  }
});
