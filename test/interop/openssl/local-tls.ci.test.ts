import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { certificateAt, makeCertificate } from '../../support/certificates.ts';
import { newProfile } from '../../support/side.ts';

const openssl = (...argv: string[]) => execFileSync('openssl', argv, { encoding: 'utf8' });

describe('OpenSSL', () => {
  it('accepts the local CA and its certificate by the strict rules, and reads what they are for', async (test) => {
    const { listen, folder } = newProfile();
    const { tls, url } = await listen(test, 'emulate', 'app', '--tls');
    const ca = tls.ca_file;
    const cert = join(folder, 'cert.pem');
    const stored = JSON.parse(readFileSync(join(dirname(ca), 'local-tls.json'), 'utf8'));
    const issued = (await certificateAt(url)).toString();
    writeFileSync(cert, issued);
    const strict = ['verify', '-x509_strict', '-CAfile', ca, '-purpose', 'sslserver'];
    assert.match(openssl(...strict, '-verify_hostname', 'localhost', cert), /OK/);
    assert.match(openssl(...strict, '-verify_ip', '::1', cert), /OK/);
    assert.throws(() => openssl(...strict, '-verify_ip', '127.0.0.2', cert));
    // without a purpose of its own: that of the CA holds
    const issuer = { cert: stored.authority.certificate, key: stored.authority.private_key };
    writeFileSync(cert, makeCertificate({ issuer }).cert);
    const verify = (purpose: string) => openssl('verify', '-CAfile', ca, '-purpose', purpose, cert);
    assert.match(verify('sslserver'), /OK/);
    for (const purpose of ['sslclient', 'smimesign']) {
      assert.throws(
        () => verify(purpose),
        /(?:unsuitable|unsupported) certificate purpose/,
        purpose,
      );
    }
    writeFileSync(cert, issued);
    const authority = openssl('x509', '-in', ca, '-noout', '-text');
    assert.match(authority, /Basic Constraints: critical\s+CA:TRUE, pathlen:0/);
    assert.match(authority, /Key Usage: critical\s+Certificate Sign, CRL Sign/);
    assert.match(authority, /Extended Key Usage: \s+TLS Web Server Authentication/);
    assert.match(authority, /Name Constraints: critical\s+Permitted:\s+DNS:localhost/);
    const own = openssl('x509', '-in', cert, '-noout', '-text');
    assert.match(own, /Basic Constraints: critical\s+CA:FALSE/);
    assert.match(own, /Key Usage: critical\s+Digital Signature, Key Encipherment/);
    assert.match(own, /Extended Key Usage: \s+TLS Web Server Authentication/);
    assert.match(own, /DNS:localhost, IP Address:127\.0\.0\.1, IP Address:0:0:0:0:0:0:0:1/);
  });
});
