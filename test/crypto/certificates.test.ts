import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, it } from 'node:test';
import forge from 'node-forge';
import { createAuthority, issueServerCertificate } from '../../src/crypto/certificates.ts';
import { readHostName } from '../../src/crypto/host-names.ts';
import { keyPairSource } from '../support/key-pairs.ts';

/* Read by OpenSSL, through Node, and by node-forge; clients meet the certificates in cli/tls.ci.test.ts and interop/tls/. */

const keyPair = await keyPairSource()(2048);
const validFrom = Date.UTC(2026, 0, 2, 3, 4, 5);
const order = { keyPair, serial: new Uint8Array(16).fill(0xff), validFrom };
const authority = createAuthority({
  ...order,
  commonName: 'a local CA',
  validTo: Date.UTC(2049, 11, 31),
});
const names = ['localhost', '*.shop.test', '127.0.0.1', '::1'].flatMap(
  (n) => readHostName(n) ?? [],
);
const server = issueServerCertificate(
  { ...order, commonName: 'localhost', validTo: Date.UTC(2050, 0, 1), names },
  authority,
);

/** The extensions in their order, critical ones with an exclamation mark. */
function extensionsOf(certificate: string): readonly string[] {
  const { extensions } = forge.pki.certificateFromPem(certificate);
  return extensions.map(({ name, id, critical }) => `${name ?? id}${critical ? '!' : ''}`);
}

describe('the certificates of --tls', () => {
  it('are a CA that signs servers of this machine and private networks only', () => {
    const ca = new X509Certificate(authority.certificate);
    assert.ok(ca.ca && ca.verify(ca.publicKey));
    assert.equal(ca.subject, 'O=authcli\nCN=a local CA');
    assert.equal(ca.issuer, ca.subject);
    assert.equal(new Date(ca.validTo).getTime(), Date.UTC(2049, 11, 31));
    assert.deepEqual(extensionsOf(authority.certificate), [
      'basicConstraints!',
      'keyUsage!',
      'extKeyUsage',
      'subjectKeyIdentifier',
      'nameConstraints!',
    ]);
    const read = forge.pki.certificateFromPem(authority.certificate);
    const { cA, pathLenConstraint } = read.getExtension('basicConstraints') as never;
    assert.deepEqual([cA, pathLenConstraint], [true, 0]);
    const { keyCertSign, cRLSign, digitalSignature } = read.getExtension('keyUsage') as never;
    assert.deepEqual([keyCertSign, cRLSign, digitalSignature], [true, true, false]);
  });

  it('are issued by it, for all names, with a time after 2049 too', () => {
    const [leaf, ca] = [server, authority].map((each) => new X509Certificate(each.certificate));
    assert.ok(leaf && ca && !leaf.ca && leaf.checkIssued(ca) && leaf.verify(ca.publicKey));
    assert.equal(
      leaf.subjectAltName,
      'DNS:localhost, DNS:*.shop.test, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    );
    assert.deepEqual(leaf.keyUsage, ['1.3.6.1.5.5.7.3.1']);
    assert.equal(new Date(leaf.validFrom).getTime(), validFrom);
    assert.equal(new Date(leaf.validTo).getTime(), Date.UTC(2050, 0, 1));
    assert.equal(leaf.serialNumber, `7F${'FF'.repeat(15)}`);
    assert.deepEqual(extensionsOf(server.certificate), [
      'basicConstraints!',
      'keyUsage!',
      'extKeyUsage',
      'subjectKeyIdentifier',
      'authorityKeyIdentifier',
      'subjectAltName',
    ]);
    const read = forge.pki.certificateFromPem(server.certificate);
    const { digitalSignature, keyEncipherment, keyCertSign } = read.getExtension(
      'keyUsage',
    ) as never;
    assert.deepEqual([digitalSignature, keyEncipherment, keyCertSign], [true, true, false]);
    assert.ok(read.verifySubjectKeyIdentifier());
  });
});
