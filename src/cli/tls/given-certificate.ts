import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readCertificates } from '../../client/tls-options.ts';
import type { Identity } from '../../crypto/certificates.ts';
import type { Secret } from '../../crypto/secret.ts';
import { inspectKeyText, type KeyInspection } from '../../diagnosis/key-text.ts';
import type { AuthcliError } from '../../errors.ts';
import { usage } from '../failure.ts';
import { dateOf } from './tls-lines.ts';

/**
 * The certificate and its key, checked for use by a server.
 * @throws AuthcliError `usage` for another key, a wrong order, a form that can't be used, and outside of the dates
 */
export function readGivenCertificate(file: Uint8Array, privateKey: Secret, now: number): Identity {
  const chain = readChain(file);
  const [own, ...issuers] = chain;
  const key = readKey(privateKey.reveal());
  if (own === undefined || !own.checkPrivateKey(key)) throw mismatch(issuers, key);
  const [from, to] = [Date.parse(own.validFrom), Date.parse(own.validTo)];
  if (to < now) {
    throw usage(
      `--tls-cert: the certificate expired on ${dateOf(to)}.`,
      'Renew it, or leave --tls-cert and --tls-key out and use --tls; with --fault tls-expired that presents an expired one on purpose.',
    );
  }
  if (from > now) {
    throw usage(
      `--tls-cert: the certificate is not valid before ${dateOf(from)}.`,
      'Check the clock of this machine, then the certificate.',
    );
  }
  return { certificate: chain.join(''), privateKey };
}

/** The certificates of a file, the server's own first. */
function readChain(bytes: Uint8Array): readonly X509Certificate[] {
  try {
    return readCertificates(bytes).map((pem) => new X509Certificate(pem));
  } catch {
    throw usage(
      `--tls-cert: the file contains no certificate that can be read: ${formOf(bytes)}.`,
      'Give the certificate as PEM (-----BEGIN CERTIFICATE-----), with its chain behind it.',
    );
  }
}

function readKey(text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    if (/^-----BEGIN ENCRYPTED PRIVATE KEY|^Proc-Type: 4,ENCRYPTED/m.test(text)) {
      throw usage(
        '--tls-key: the private key is encrypted with a passphrase.',
        'Decrypt it into a file that only you can read: (umask 077; openssl pkey -in KEY -out server-key.pem)',
      );
    }
    throw usage(
      `--tls-key: it can't be used as a private key: ${formOf(Buffer.from(text))}.`,
      'Give the private key as PEM (-----BEGIN PRIVATE KEY-----).',
    );
  }
}

function mismatch(chain: readonly X509Certificate[], key: KeyObject): AuthcliError {
  const position = chain.findIndex((certificate) => certificate.checkPrivateKey(key));
  if (position >= 0) {
    return usage(
      `--tls-cert: the certificate of --tls-key is number ${position + 2} in the file, and must be the first.`,
      'Put it in front of the certificates of its issuers.',
    );
  }
  return usage(
    '--tls-key does not belong to --tls-cert: their public keys differ.',
    'Give the key from which this certificate was requested. `authcli key inspect @FILE` prints the fingerprint of either.',
  );
}

const forms: Readonly<Partial<Record<KeyInspection['kind'], string>>> = {
  'private-key': 'it is a private key',
  'public-key': 'it is a public key',
  certificate: 'it is a certificate',
  'certificate-request': 'it is a certificate request, which a CA has yet to sign',
};

/** In words what was given in place of what is needed; nothing of its content. */
function formOf(bytes: Uint8Array): string {
  const { kind, notes } = inspectKeyText(bytes);
  return forms[kind] ?? notes.at(-1) ?? 'its format is unknown';
}
