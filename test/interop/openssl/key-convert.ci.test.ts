import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { fixture } from '../../support/fixtures.ts';
import { run } from '../../support/run.ts';

const openssl = (...argv: string[]) => execFileSync('openssl', argv, { encoding: 'utf8' });
const publicPem = fixture('keys/public.spki.pem');
const password = 'n\u00e9w';

describe('OpenSSL', () => {
  it('reads what key convert writes: encrypted PEM and DER, and a key store with its chain', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'authcli-convert-openssl-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const convert = async (from: string, name: string) => {
      const out = join(folder, name);
      const passwords = ['--private-key-password', 'env:OLD', '--out-password', 'env:NEW'];
      const { status, stderr } = await run(['key', 'convert', from, ...passwords, '--out', out], {
        configFile: join(folder, 'config.json'),
        env: { OLD: 'example', NEW: password },
      });
      assert.equal(status, 0, stderr);
      return out;
    };
    const chain = resolve('fixtures/keys/stores/chain.p12');
    const passin = ['-passin', `pass:${password}`];
    for (const name of ['key.pem', 'key.der']) {
      const inform = name.endsWith('der') ? 'DER' : 'PEM';
      const file = await convert(chain, name);
      assert.equal(
        openssl('pkey', '-in', file, '-inform', inform, ...passin, '-pubout'),
        publicPem,
      );
    }
    const store = await convert(chain, 'keys.p12');
    const opened = openssl('pkcs12', '-in', store, ...passin, '-nodes');
    assert.match(opened, /friendlyName: chain/);
    const key = /-----BEGIN PRIVATE KEY-----[\s\S]*?-----END PRIVATE KEY-----\n/.exec(opened)?.[0];
    assert.equal(key, fixture('keys/private.pkcs8.pem'));
    const blocks = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----\n/g;
    const serials = (text: string) =>
      (text.match(blocks) ?? []).map((pem) => new X509Certificate(pem).serialNumber);
    assert.deepEqual(serials(opened), serials(fixture('keys/stores/chain.pem')));
    assert.throws(() => openssl('pkcs12', '-in', store, '-passin', 'pass:other', '-nodes'));
  });
});
