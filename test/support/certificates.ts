import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import forge from 'node-forge';

/** A certificate with its private key, both PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** How a certificate differs from a good one for localhost. */
interface CertificateOptions {
  readonly commonName?: string;
  readonly names?: readonly string[];
  readonly addresses?: readonly string[];
  /** In days from now. */
  readonly validFrom?: number;
  readonly validTo?: number;
  /** Who signs; the certificate itself by default. */
  readonly issuer?: Identity;
  readonly isAuthority?: boolean;
}

/** The certificate with which a server listens. */
export async function certificateAt(url: string): Promise<X509Certificate> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return new X509Certificate(raw);
}

let count = 0;
const keys = 12;

/** Makes a certificate (RFC 5280) on the next key of the pool: for localhost and 127.0.0.1 by default. */
export function makeCertificate({
  commonName = 'authcli test',
  names = ['localhost'],
  addresses = ['127.0.0.1'],
  ...options
}: CertificateOptions = {}): Identity {
  const file = String((count % keys) + 1).padStart(2, '0');
  const key = readFileSync(`fixtures/keys/pool/2048-${file}.pem`, 'utf8');
  const privateKey = forge.pki.privateKeyFromPem(key);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(privateKey.n, privateKey.e);
  count += 1;
  certificate.serialNumber = `01${count.toString(16).padStart(6, '0')}`;
  certificate.validity.notBefore = inDays(options.validFrom ?? -2);
  certificate.validity.notAfter = inDays(options.validTo ?? 2);
  const subject = [{ name: 'commonName', value: commonName }];
  certificate.setSubject(subject);
  const { issuer } = options;
  certificate.setIssuer(
    issuer === undefined ? subject : forge.pki.certificateFromPem(issuer.cert).subject.attributes,
  );
  const altNames = [
    ...names.map((value) => ({ type: 2, value })),
    ...addresses.map((ip) => ({ type: 7, ip })),
  ];
  if (options.isAuthority)
    certificate.setExtensions([
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true },
    ]);
  else if (altNames.length > 0) certificate.setExtensions([{ name: 'subjectAltName', altNames }]);
  const signingKey = issuer === undefined ? privateKey : forge.pki.privateKeyFromPem(issuer.key);
  certificate.sign(signingKey, forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(certificate), key };
}

function inDays(days: number): Date {
  return new Date(Date.now() + days * 24 * 3600 * 1000);
}
