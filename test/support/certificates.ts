import { generateKeyPairSync } from 'node:crypto';
import forge from 'node-forge';

/** A certificate with its private key, both PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** How a certificate differs from a good one for localhost. */
export interface CertificateOptions {
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

let serial = 0;

/** Makes a certificate (RFC 5280) on a new RSA key: for localhost and 127.0.0.1 by default. */
export function makeCertificate(options: CertificateOptions = {}): Identity {
  const pair = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(pair.publicKey);
  serial += 1;
  certificate.serialNumber = `01${serial.toString(16).padStart(6, '0')}`;
  certificate.validity.notBefore = inDays(options.validFrom ?? -2);
  certificate.validity.notAfter = inDays(options.validTo ?? 2);
  const subject = [{ name: 'commonName', value: options.commonName ?? 'authcli test' }];
  certificate.setSubject(subject);
  const issuer = options.issuer;
  certificate.setIssuer(
    issuer === undefined ? subject : forge.pki.certificateFromPem(issuer.cert).subject.attributes,
  );
  certificate.setExtensions(extensionsOf(options));
  const signingKey = forge.pki.privateKeyFromPem(issuer?.key ?? pair.privateKey);
  certificate.sign(signingKey, forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(certificate), key: pair.privateKey };
}

function extensionsOf({ isAuthority, names, addresses }: CertificateOptions): object[] {
  if (isAuthority) {
    return [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true },
    ];
  }
  const altNames = [
    ...(names ?? ['localhost']).map((value) => ({ type: 2, value })),
    ...(addresses ?? ['127.0.0.1']).map((ip) => ({ type: 7, ip })),
  ];
  return altNames.length === 0 ? [] : [{ name: 'subjectAltName', altNames }];
}

function inDays(days: number): Date {
  return new Date(Date.now() + days * 24 * 3600 * 1000);
}
