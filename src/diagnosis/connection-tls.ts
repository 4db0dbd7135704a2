import type { Diagnosis } from '../errors.ts';
import { diagnosis } from './catalogue-entry.ts';
import { type CertificateFacts, type ConnectionFacts, peerUrl } from './connection-facts.ts';

/** The diagnosis of a certificate that was refused here; undefined where none was. */
export function diagnoseCertificate(facts: ConnectionFacts): Diagnosis | undefined {
  if (facts.verifyCode === undefined) return undefined;
  if (facts.verifyCode === 'ERR_TLS_CERT_ALTNAME_INVALID') return hostname(facts);
  if (/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/.test(facts.verifyCode)) return expired(facts);
  return untrusted(facts, facts.verifyCode);
}

/** At most this many names are listed: certificates of large sites have hundreds. */
const namesShown = 8;

function hostname(facts: ConnectionFacts): Diagnosis {
  const leaf = facts.certificates?.[0];
  const names = leaf?.names ?? [];
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
  const listed =
    names.length === 0
      ? `no name but its subject, ${leaf?.subject}`
      : `${names.slice(0, namesShown).join(', ')}${more}`;
  return diagnosis(
    'tls-hostname',
    `The certificate of ${peerUrl(facts).hostname} is for other names: it has ${listed}.`,
    `Use a URL with one of those names, or a certificate with ${peerUrl(facts).hostname} in its subjectAltName.`,
  );
}

function expired(facts: ConnectionFacts): Diagnosis {
  const certificates = facts.certificates ?? [];
  const early = facts.verifyCode === 'CERT_NOT_YET_VALID';
  const index = certificates.findIndex((certificate) => isOutdated(certificate, facts.now, early));
  const culprit = certificates[Math.max(index, 0)];
  const which = index > 0 ? ` (${culprit?.subject}, above it in the chain)` : '';
  const seen = early ? 'is not valid before' : 'expired on';
  const date = early ? culprit?.validFrom : culprit?.validTo;
  return diagnosis(
    'tls-expired',
    `The certificate of ${peerUrl(facts).hostname}${which} ${seen} ${formatDate(date)}.`,
    early
      ? 'Check the clocks of both machines, then the certificate.'
      : 'Renew the certificate, and have the server load the new one.',
  );
}

function isOutdated(certificate: CertificateFacts, now: number | undefined, early: boolean) {
  if (now === undefined) return false;
  return early ? now < certificate.validFrom : now > certificate.validTo;
}

function formatDate(instant: number | undefined): string {
  return instant === undefined || Number.isNaN(instant)
    ? 'a date that can not be read'
    : `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function untrusted(facts: ConnectionFacts, verifyCode: string): Diagnosis {
  const leaf = facts.certificates?.[0];
  const issuer = leaf === undefined ? 'an unknown issuer' : leaf.issuer;
  const [reason, hint] = reasonOf(verifyCode, issuer);
  return diagnosis(
    'tls-untrusted',
    `The certificate of ${peerUrl(facts).hostname} is not trusted: ${reason} (${verifyCode}).`,
    hint,
  );
}

const addIssuer = 'add the certificate of its issuer to those that are trusted here';

function reasonOf(verifyCode: string, issuer: string): readonly [reason: string, hint: string] {
  switch (verifyCode) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return [
        'it is signed by itself',
        'Trust this certificate here, or use one that a known authority has signed.',
      ];
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return [
        'its chain ends in a root that is not known here',
        `For an authority of your own, ${addIssuer}.`,
      ];
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return [
        `its issuer, ${issuer}, is neither known here nor sent along`,
        `Have the server send the whole chain (the intermediate certificates too); for an authority of your own, ${addIssuer}.`,
      ];
    case 'CERT_REVOKED':
      return ['it was revoked', 'Use a new certificate.'];
    default:
      return [`its chain does not verify`, `Check the chain of ${issuer} with the server's maker.`];
  }
}
