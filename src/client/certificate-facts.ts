import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { CertificateFacts } from '../diagnosis/connection-facts.ts';

/** The certificates that the peer presented, its own first; at most ten, in case of a loop. */
export function readPeerCertificates(socket: TLSSocket): readonly CertificateFacts[] {
  const facts: CertificateFacts[] = [];
  const seen = new Set<object>();
  let current: Partial<PeerCertificate> & { issuerCertificate?: object } =
    socket.getPeerCertificate(true);
  while (current.subject !== undefined && !seen.has(current) && facts.length < 10) {
    seen.add(current);
    facts.push(factsOf(current));
    current = current.issuerCertificate ?? {};
  }
  return facts;
}

function factsOf(certificate: Partial<PeerCertificate>): CertificateFacts {
  return {
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    names: namesOf(certificate.subjectaltname ?? ''),
    validFrom: Date.parse(certificate.valid_from ?? ''),
    validTo: Date.parse(certificate.valid_to ?? ''),
  };
}

/** The common name, else the organisation, else the whole distinguished name. */
function nameOf(name: Partial<PeerCertificate['subject']> = {}): string {
  const parts = Object.entries(name).map(([type, value]) => `${type}=${value}`);
  return String(name.CN ?? name.O ?? parts.join(', '));
}

/** `DNS:a.example, IP Address:192.0.2.1` as its names. */
function namesOf(subjectAltName: string): readonly string[] {
  return [...subjectAltName.matchAll(/(?:DNS|IP Address):("[^"]*"|[^,\s]+)/g)].map(
    ([, name = '']) => name.replaceAll('"', ''),
  );
}
