import { createPrivateKey, sign } from 'node:crypto';
import forge from 'node-forge';
import { derTags, writeDer } from './der.ts';
import { type HostName, permittedNames } from './host-names.ts';
import { exportPrivateKey, type RsaPrivateKey } from './rsa-key.ts';
import { Secret } from './secret.ts';

export interface Identity {
  readonly certificate: string;
  readonly privateKey: Secret;
}

/** What is drawn and measured outside of this pure folder. */
interface Order {
  readonly commonName: string;
  readonly keyPair: RsaPrivateKey;
  /** 16 random bytes, which can't be predicted. */
  readonly serial: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly validFrom: number;
  readonly validTo: number;
}

/** The one purpose of all certificates (RFC 5280 4.2.1.12). */
const forServers = { name: 'extKeyUsage', serverAuth: true };

/** A root that signs only servers, and only for some names (RFC 5280 4.2.1.9, 4.2.1.10). */
export function createAuthority(order: Order): Identity {
  return issue(order, undefined, [
    { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
    { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
    // no rule of RFC 5280 for a CA, but what OpenSSL, Go, Windows and browsers go by
    forServers,
    { name: 'subjectKeyIdentifier' },
    // critical, as 4.2.1.10 demands: who can't read it must not trust the certificate
    { id: constraintsId, critical: true, value: nameConstraints() },
  ]);
}

export function issueServerCertificate(
  order: Order & { readonly names: readonly HostName[] },
  issuer: Identity,
): Identity {
  const authority = forge.pki.certificateFromPem(issuer.certificate);
  const keyIdentifier = authority.generateSubjectKeyIdentifier().getBytes();
  return issue(order, issuer, [
    { name: 'basicConstraints', critical: true, cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
    forServers,
    { name: 'subjectKeyIdentifier' },
    { name: 'authorityKeyIdentifier', keyIdentifier },
    {
      name: 'subjectAltName',
      altNames: order.names.map((host) =>
        host.kind === 'dns'
          ? { type: dnsName, value: host.name }
          : { type: ipAddress, ip: host.name },
      ),
    },
  ]);
}

function issue(
  { commonName, keyPair, serial, validFrom, validTo }: Order,
  issuer: Identity | undefined,
  extensions: readonly object[],
): Identity {
  const certificate = forge.pki.createCertificate();
  const spki = keyPair.publicKey.keyObject.export({ type: 'spki', format: 'pem' }).toString();
  certificate.publicKey = forge.pki.publicKeyFromPem(spki);
  certificate.serialNumber = positive(serial).toString('hex');
  certificate.validity.notBefore = new Date(validFrom);
  certificate.validity.notAfter = new Date(validTo);
  const subject = [
    { name: 'organizationName', value: 'authcli' },
    { name: 'commonName', value: commonName },
  ];
  certificate.setSubject(subject);
  certificate.setIssuer(
    issuer === undefined
      ? subject
      : forge.pki.certificateFromPem(issuer.certificate).subject.attributes,
  );
  certificate.setExtensions([...extensions]);
  const privateKey = exportPrivateKey(keyPair);
  certificate.sign(
    signerOf(certificate, issuer?.privateKey.reveal() ?? privateKey),
    forge.md.sha256.create(),
  );
  const pem = forge.pki.certificateToPem(certificate).replaceAll('\r\n', '\n');
  return { certificate: pem, privateKey: Secret.text(privateKey) };
}

/** What forge takes for its own key: it signs with OpenSSL's RSA in place of one in JavaScript. */
function signerOf(certificate: forge.pki.Certificate, pem: string): forge.pki.rsa.PrivateKey {
  const signer = {
    sign: () => {
      const der = forge.asn1.toDer(certificate.tbsCertificate as forge.asn1.Asn1).getBytes();
      return sign('sha256', Buffer.from(der, 'latin1'), createPrivateKey(pem)).toString('latin1');
    },
  };
  return signer as unknown as forge.pki.rsa.PrivateKey;
}

/** RFC 5280 4.1.2.2: positive, and here always of the same length. */
function positive([first = 0, ...rest]: Uint8Array): Buffer {
  return Buffer.of((first & 0x7f) | 0x40, ...rest);
}

/** GeneralName types (RFC 5280 4.2.1.6). */
const dnsName = 2;
const ipAddress = 7;
/** Class and tag of what is tagged implicitly (X.690 8.14). */
const contextTag = 0x80;
const constraintsId = '2.5.29.30';

/** In DER: permittedSubtrees [0] of GeneralSubtree, each a GeneralName. */
function nameConstraints(): string {
  const subtree = (type: number, bytes: Uint8Array) =>
    writeDer(derTags.sequence, writeDer(contextTag | type, bytes));
  const subtrees = [
    ...permittedNames.dns.map((name) => subtree(dnsName, Buffer.from(name, 'latin1'))),
    ...permittedNames.ip.map(({ network, mask }) =>
      subtree(ipAddress, Buffer.concat([network, mask])),
    ),
  ];
  const der = writeDer(derTags.sequence, writeDer(derTags.context0, ...subtrees));
  return Buffer.from(der).toString('latin1');
}
