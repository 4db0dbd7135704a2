import type { Diagnosis } from '../errors.ts';
import { excerptOf } from '../text.ts';
import {
  type CertificateFacts,
  type ConnectionFacts,
  peerOf,
  peerUrl,
} from './connection-facts.ts';
import { diagnosis } from './diagnosis.ts';

/** The diagnosis of a peer that speaks something else than expected; undefined where it does not. */
export function diagnoseProtocol(facts: ConnectionFacts): Diagnosis | undefined {
  if (facts.proxyStatus !== undefined) return proxyRefusal(facts, facts.proxyStatus);
  if (facts.tlsAlert === protocolVersion) return oldVersion(facts, 'protocol_version');
  if (facts.tlsAlert !== undefined) return alert(facts, facts.tlsAlert);
  const other = mixedUp(facts);
  if (other !== undefined) return other;
  const code = facts.errorCode ?? '';
  return oldVersionCodes.has(code) ? oldVersion(facts, code) : unreadable(facts);
}

function protocolError(message: string, hint: string): Diagnosis {
  return diagnosis('protocol-error', message, hint);
}

function proxyRefusal(facts: ConnectionFacts, status: number): Diagnosis {
  const proxy = `The proxy ${facts.proxy?.host ?? ''}`;
  const wanted = `a connection to ${facts.target.host}`;
  if (status === 407) {
    return protocolError(
      `${proxy} asks for credentials (status 407); ${wanted} was not made.`,
      "Put user and password into the proxy's URL: http://user:password@host:port.",
    );
  }
  return protocolError(
    `${proxy} refused ${wanted} (status ${status}).`,
    status >= 500
      ? "The proxy couldn't reach the host: check the name and port as seen from the proxy."
      : 'Allow the host and port in the proxy, or bypass the proxy for this host.',
  );
}

/** The alert of a server without a version in common (RFC 8446 6.2). */
const protocolVersion = 70;

/** What OpenSSL reports of a server that chose a version which was not offered. */
const oldVersionCodes = new Set(['ERR_SSL_UNSUPPORTED_PROTOCOL', 'ERR_SSL_VERSION_TOO_LOW']);

function oldVersion(facts: ConnectionFacts, reason: string): Diagnosis {
  return diagnosis(
    'tls-version',
    `${peerOf(facts)} supports neither TLS 1.2 nor TLS 1.3 (${reason}).`,
    'Allow TLS 1.2 and 1.3 on the server: TLS 1.0 and 1.1 are not safe, and clients refuse them.',
  );
}

/** Meanings of the alerts that a client meets (RFC 8446 6.2), with what to change. */
const alerts: Readonly<Record<number, readonly [meaning: string, hint: string]>> = {
  40: [
    'no common cipher or parameters (handshake_failure)',
    'Check the TLS versions and cipher suites that the server allows, and whether it requires a client certificate.',
  ],
  42: [
    'the client certificate is bad (bad_certificate)',
    'Check the client certificate and its key.',
  ],
  43: ["it doesn't support this type of client certificate", 'Check the client certificate.'],
  44: ['the client certificate was revoked', 'Use a new client certificate.'],
  45: ['the client certificate has expired', 'Renew the client certificate.'],
  46: ['the client certificate is not acceptable', 'Check the client certificate.'],
  48: [
    "it doesn't know the issuer of the client certificate (unknown_ca)",
    'Make the server trust the issuer of the client certificate, or use another one.',
  ],
  80: ['it had an internal error (internal_error)', "Check the server's log."],
  112: [
    "it doesn't know this host name (unrecognized_name)",
    'Check the host in the URL, and the host names that the server is configured for.',
  ],
  116: [
    'it requires a client certificate, but none was sent (certificate_required)',
    'Provide a client certificate and its key.',
  ],
};

function alert(facts: ConnectionFacts, number: number): Diagnosis {
  const unknown = [`it sent the TLS alert ${number}`, "Check the server's log."] as const;
  const [meaning, hint] = alerts[number] ?? unknown;
  return protocolError(`${peerOf(facts)} refused TLS: ${meaning}.`, hint);
}

/** Plain HTTP where TLS was expected, or the reverse: observed, never guessed. */
function mixedUp(facts: ConnectionFacts): Diagnosis | undefined {
  const speaks = isTlsRecord(facts.firstBytes ?? new Uint8Array()) ? 'tls' : facts.speaks;
  if (speaks === undefined) return undefined;
  return speaks === 'http'
    ? protocolError(
        `${peerOf(facts)} speaks plain HTTP, but the URL starts with https.`,
        'Write http:// in the URL, or the port of the TLS server.',
      )
    : protocolError(
        `${peerOf(facts)} speaks TLS, but the URL starts with http.`,
        'Write https:// in the URL.',
      );
}

/** Whether the bytes begin a TLS alert or handshake record (RFC 8446 5.1). */
function isTlsRecord(bytes: Uint8Array): boolean {
  return (bytes[0] === 0x15 || bytes[0] === 0x16) && bytes[1] === 0x03;
}

function unreadable(facts: ConnectionFacts): Diagnosis | undefined {
  if (facts.errorCode === 'UND_ERR_HEADERS_OVERFLOW') {
    return protocolError(
      `The response headers of ${peerOf(facts)} are larger than 16 KiB.`,
      'Send smaller headers: check for a cookie or a debugging header that keeps growing.',
    );
  }
  if (facts.isEndless) {
    return protocolError(
      `What ${peerOf(facts)} sends around its response has no end: a reason phrase, informational responses, extensions of chunks or trailers.`,
      "Check for a loop that writes informational responses, or a server that doesn't speak HTTP.",
    );
  }
  const reason = unreadableReason(facts);
  if (reason === undefined) return undefined;
  const place = facts.firstBytes?.length ? `; it stopped at "${shown(facts.firstBytes)}"` : '';
  return protocolError(
    `What ${peerOf(facts)} sent is not HTTP/1.1 (${reason}${place}).`,
    'Check that the port belongs to an HTTP server, and that its HTTP library writes the response, not your own code.',
  );
}

/** A body that ends too early is not unreadable but a connection cut. */
function unreadableReason({ phase, errorCode, unreadable: reason }: ConnectionFacts) {
  const isContradiction = errorCode === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && phase !== 'body';
  return reason ?? (isContradiction ? 'Content-Length contradicts what follows' : undefined);
}

function shown(bytes: Uint8Array): string {
  return excerptOf(Buffer.from(bytes.subarray(0, 40)).toString('latin1'), 40);
}

/** The diagnosis of a certificate that was refused here; undefined where none was. */
export function diagnoseCertificate(facts: ConnectionFacts): Diagnosis | undefined {
  if (facts.verifyCode === undefined) return undefined;
  if (facts.verifyCode === 'ERR_TLS_CERT_ALTNAME_INVALID') return hostname(facts);
  if (/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/.test(facts.verifyCode)) return expired(facts);
  return untrusted(facts, facts.verifyCode);
}

/** Certificates of large sites have hundreds of names. */
const namesShown = 8;

function hostname(facts: ConnectionFacts): Diagnosis {
  const leaf = facts.certificates?.[0];
  const names = leaf?.names ?? [];
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
  const listed =
    names.slice(0, namesShown).join(', ') || `no name but its subject, ${leaf?.subject}`;
  return diagnosis(
    'tls-hostname',
    `The certificate of ${peerUrl(facts).hostname} is for other host names: ${listed}${more}.`,
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
      : 'Renew the certificate and reload the server.',
  );
}

function isOutdated(certificate: CertificateFacts, now: number | undefined, early: boolean) {
  if (now === undefined) return false;
  return early ? now < certificate.validFrom : now > certificate.validTo;
}

function formatDate(instant: number | undefined): string {
  return instant === undefined || Number.isNaN(instant)
    ? 'an unreadable date'
    : `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function untrusted(facts: ConnectionFacts, verifyCode: string): Diagnosis {
  const issuer = facts.certificates?.[0]?.issuer ?? 'an unknown issuer';
  const [reason, hint] = trustReason(verifyCode, issuer);
  return diagnosis(
    'tls-untrusted',
    `The certificate of ${peerUrl(facts).hostname} is not trusted: ${reason} (${verifyCode}).`,
    hint,
  );
}

const addIssuer = "add its issuer's certificate to those trusted here";

function trustReason(verifyCode: string, issuer: string): readonly [reason: string, hint: string] {
  switch (verifyCode) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return [
        'it is self-signed',
        'Trust this certificate here, or use one that a known CA has signed.',
      ];
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return [
        "its chain ends in a root certificate that isn't trusted here",
        `For a private CA, ${addIssuer}.`,
      ];
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return [
        `its issuer, ${issuer}, is neither known here nor sent along`,
        `Make the server send the full chain, including the intermediate certificates; for a private CA, ${addIssuer}.`,
      ];
    case 'CERT_REVOKED':
      return ['it was revoked', 'Use a new certificate.'];
    default:
      return [`its chain does not verify`, `Check the chain of ${issuer} with the server's maker.`];
  }
}

/** What nginx, Apache, Go and Tomcat write to a plain request on a TLS port; nothing else marks it. */
const tlsIsWanted =
  /plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL-enabled|HTTP request to an HTTPS server|combination of host and port requires TLS/;

/** Whether a response is that of a TLS server to a plain request. */
export function saysTlsIsWanted({ status, body }: { status: number; body: Uint8Array }): boolean {
  return status === 400 && tlsIsWanted.test(Buffer.from(body.subarray(0, 2000)).toString('latin1'));
}
