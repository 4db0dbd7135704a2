import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { certificateAt, makeCertificate } from '../support/certificates.ts';
import { violations } from '../support/json-schema.ts';
import { newProfile } from '../support/side.ts';

const read = (stdout: string) => JSON.parse(stdout);
const schema = read(readFileSync('schemas/tls-1.json', 'utf8'));

describe('an emulator with --tls', () => {
  it('signs users up over https, for clients that trust its CA', async (test) => {
    const { run, listen } = newProfile();
    const { url, tls } = await listen(test, 'emulate', 'app', '--tls');
    assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/);
    assert.deepEqual(tls.names, ['localhost', '127.0.0.1', '::1']);
    assert.deepEqual(violations(tls, schema), []);
    const callback = `${url}/callback`;
    const trusted = await run('simulate-signup', '--url', callback, '--ca', tls.ca_file, '--json');
    assert.equal(trusted.status, 0, trusted.stdout);
  });

  it('keeps its files private, and one CA for all that start at the same time', async (test) => {
    const { listen } = newProfile();
    const started = await Promise.all(
      ['app', 'service', 'app'].map((side) => listen(test, 'emulate', side, '--tls')),
    );
    const [file = ''] = new Set(started.map(({ tls }) => tls.ca_file));
    const folder = dirname(file);
    assert.deepEqual(readdirSync(folder).sort(), ['ca.pem', 'local-tls.json']);
    for (const name of ['ca.pem', 'local-tls.json'])
      assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
    const ca = new X509Certificate(readFileSync(file));
    const stored = read(readFileSync(join(folder, 'local-tls.json'), 'utf8'));
    assert.equal(stored.authority.certificate, readFileSync(file, 'utf8'));
    for (const { url } of started) assert.ok((await certificateAt(url)).verify(ca.publicKey));
  });

  it('has a certificate of 13 months, of a CA that stays', async (test) => {
    const { listen } = newProfile();
    const first = await listen(test, 'emulate', 'app', '--tls');
    const days = (Date.parse(first.tls.valid_to) - Date.now()) / 86_400_000;
    assert.ok(days > 396 && days < 398, String(days));
    const before = readFileSync(first.tls.ca_file, 'utf8');
    await listen(test, 'emulate', 'service', '--tls');
    assert.equal(readFileSync(first.tls.ca_file, 'utf8'), before);
  });

  it('refuses an address that its CA may not sign for', async () => {
    const { run } = newProfile();
    const { status, stderr } = await run('emulate', 'app', '--tls', '--host', 'shop.com');
    assert.equal(status, 2);
    assert.match(stderr, /does not sign for shop\.com/);
  });

  for (const fault of ['tls-expired', 'tls-hostname', 'tls-untrusted', 'tls-version']) {
    it(`has the fault ${fault}, which verify and signin find by its name`, async (test) => {
      const { run, listen } = newProfile();
      const app = await listen(test, 'emulate', 'app', '--tls', '--fault', fault);
      const trusting = ['--ca', app.tls.ca_file, '--json'];
      const check = ['--url', `${app.url}/callback`, '--check', 'protocol/tls'];
      const { stdout } = await run('verify', ...check, ...trusting);
      assert.equal(stdout.match(/(?<="code": ")tls-[a-z]+/g)?.at(-1), fault, stdout);
      const { url } = await listen(test, 'emulate', 'service', '--tls', '--fault', fault);
      const account = ['--client-id', 'authcli-client', '--secret-key', 'a-secret'];
      const sent = ['--auth-url', url, ...account, '--ptn-token', 'a-token', ...trusting];
      const result = await run('signin', ...sent);
      const { error, diagnosis } = read(result.stdout);
      assert.deepEqual([result.status, (error ?? diagnosis)?.code], [3, fault], result.stdout);
    });
  }

  it('as an application is trusted by the service of the same profile alone', async (test) => {
    const { listen } = newProfile();
    const app = await listen(test, 'emulate', 'app', '--tls');
    const other = await newProfile().listen(test, 'emulate', 'app', '--tls');
    const order = async (to: string) => {
      const words = ['emulate', 'service', '--callback-url', `${to}/callback`];
      const { url } = await listen(test, ...words);
      const response = await fetch(`${url}/_authcli/signup`, { method: 'POST', body: '{}' });
      return read(await response.text());
    };
    const signedUp = await order(app.url);
    assert.equal(signedUp.signed_up, true, JSON.stringify(signedUp));
    const refused = await order(other.url);
    assert.equal(refused.diagnosis?.code ?? refused.error?.code, 'tls-untrusted');
  });
});

it('a fault of TLS needs --tls', async () => {
  const { status, stderr } = await newProfile().run('emulate', 'app', '--fault', 'tls-expired');
  assert.deepEqual([status, /needs --tls/.test(stderr)], [2, true], stderr);
});

it('a local CA that has expired is replaced', async (test) => {
  const { listen } = newProfile();
  const { tls } = await listen(test, 'emulate', 'app', '--tls');
  const stored = join(dirname(tls.ca_file), 'local-tls.json');
  const old = makeCertificate({ isAuthority: true, validFrom: -9, validTo: -1 });
  const authority = { certificate: old.cert, private_key: old.key };
  writeFileSync(stored, JSON.stringify({ version: 1, authority }), { mode: 0o600 });
  const renewed = await listen(test, 'emulate', 'app', '--tls');
  assert.notEqual(readFileSync(renewed.tls.ca_file, 'utf8'), old.cert);
});
