import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newProfile } from '../../support/tls-emulator.ts';

const openssl = (...argv: string[]) => execFileSync('openssl', argv, { encoding: 'utf8' });

describe('OpenSSL', () => {
  it('accepts the local CA and its certificates by the strict rules, and reads what they are for', async () => {
    const { run, folder } = newProfile();
    await run('tls', 'ca', '--out', 'ca.pem');
    await run('tls', 'cert', 'app.test', '127.0.0.1', '::1', '--out', 'server');
    const [ca, cert] = [join(folder, 'ca.pem'), join(folder, 'server/cert.pem')];
    const strict = ['verify', '-x509_strict', '-CAfile', ca, '-purpose', 'sslserver'];
    assert.match(openssl(...strict, '-verify_hostname', 'app.test', cert), /OK/);
    assert.match(openssl(...strict, '-verify_ip', '::1', cert), /OK/);
    assert.throws(() => openssl(...strict, '-verify_ip', '127.0.0.2', cert));
    const authority = openssl('x509', '-in', ca, '-noout', '-text');
    assert.match(authority, /Basic Constraints: critical\s+CA:TRUE, pathlen:0/);
    assert.match(authority, /Key Usage: critical\s+Certificate Sign, CRL Sign/);
    assert.match(authority, /Name Constraints: critical\s+Permitted:\s+DNS:localhost/);
    const server = openssl('x509', '-in', cert, '-noout', '-text');
    assert.match(server, /Basic Constraints: critical\s+CA:FALSE/);
    assert.match(server, /Key Usage: critical\s+Digital Signature, Key Encipherment/);
    assert.match(server, /Extended Key Usage: \s+TLS Web Server Authentication/);
    assert.match(server, /DNS:app\.test, IP Address:127\.0\.0\.1, IP Address:0:0:0:0:0:0:0:1/);
  });
});
