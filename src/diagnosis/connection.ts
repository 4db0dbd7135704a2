import type { Diagnosis } from '../errors.ts';
import { capitalised, excerptOf, firstOf } from '../text.ts';
import { diagnosis } from './diagnosis.ts';

/** The parts of one request in their order; `proxy` is the consent of a proxy to a tunnel. */
export type Phase = 'lookup' | 'connect' | 'proxy' | 'tls' | 'request' | 'first-byte' | 'body';

/** One certificate (RFC 5280 4.1.2); instants in milliseconds since the epoch. */
export interface CertificateFacts {
  /** The common name of the subject, or its whole name where it has none. */
  readonly subject: string;
  readonly issuer: string;
  /** DNS names and IP addresses of the subjectAltName. */
  readonly names: readonly string[];
  readonly validFrom: number;
  readonly validTo: number;
}

/** A proxy on the way. */
export interface ProxyFacts {
  /** Without its credentials. */
  readonly url: URL;
  /** What named it, such as `HTTP_PROXY`, where NO_PROXY counts. */
  readonly source?: string | undefined;
}

/** Everything that was observed of a request without a usable response. */
export interface ConnectionFacts {
  readonly phase: Phase;
  /** Where the request was to go; only its scheme, host and port are ever shown. */
  readonly target: URL;
  readonly proxy?: ProxyFacts | undefined;
  /** Whether it failed on the way to the proxy, before the target came into it. */
  readonly atProxy?: boolean;
  /** The platform's code: `ECONNREFUSED`, `ENOTFOUND`, `UND_ERR_SOCKET` … */
  readonly errorCode?: string;
  /** The platform's words, shown where the code is unknown here. */
  readonly errorText?: string;
  /** The time limit, where it ended the request. */
  readonly timeoutMs?: number;
  /** OpenSSL's name for the reason that a certificate isn't accepted: `CERT_HAS_EXPIRED` … */
  readonly verifyCode?: string;
  /** What the peer presented, its own certificate first. */
  readonly certificates?: readonly CertificateFacts[];
  /** The instant of the verdict, to see which certificate of the chain is out of date. */
  readonly now?: number;
  /** The number of the TLS alert with which the peer refused (RFC 8446 6.2). */
  readonly tlsAlert?: number;
  /** Why what came is not HTTP/1.1, in the words of the parser. */
  readonly unreadable?: string;
  readonly isCut?: boolean;
  /** More came around the body than any response needs, without an end. */
  readonly isEndless?: boolean;
  readonly firstBytes?: Uint8Array;
  /** What the peer speaks instead of what the URL says. */
  readonly speaks?: 'http' | 'tls';
  readonly proxyStatus?: number;
  /** Bytes of the body that had arrived, and those announced by Content-Length. */
  readonly bodyBytes?: number;
  readonly announcedBytes?: number;
}

/** The URL of the peer: the target's, or that of the proxy on the way to it. */
function peerUrl({ target, proxy, atProxy }: ConnectionFacts): URL {
  return atProxy === true ? (proxy?.url ?? target) : target;
}

/** The peer as messages name it: host and port, never more of a URL. */
function peerOf(facts: ConnectionFacts): string {
  const url = peerUrl(facts);
  return url === facts.proxy?.url ? proxyName(facts.proxy) : url.host;
}

/** As messages name it: `the proxy 10.0.0.1:3128 (from HTTP_PROXY)`. */
export function proxyName({ url, source }: ProxyFacts): string {
  return `the proxy ${url.host}${source === undefined ? '' : ` (from ${source})`}`;
}

/** What is added to the message of a failure behind a proxy, which may be its cause. */
export function behindProxy({ proxy, atProxy, proxyStatus }: Partial<ConnectionFacts>): string {
  if (proxy === undefined || atProxy || proxyStatus !== undefined) return '';
  return ` The request went through ${proxyName(proxy)}.`;
}

/** How to do without a proxy that the command line or the environment names. */
function bypass({ proxy, target }: ConnectionFacts): string {
  if (proxy?.source === undefined) return '';
  return ` To reach ${target.hostname} without the proxy, add it to NO_PROXY.`;
}

/** More than any message with eight names of a certificate needs. */
const longestSentence = 2000;

/**
 * Why a request has no usable response, by what is most certain: authcli's own time limit, the
 * verdict on a certificate, a proxy or TLS alert, the first bytes, the platform's error code. What certificates,
 * parsers and the platform say is escaped.
 */
export function diagnoseConnection(facts: ConnectionFacts): Diagnosis {
  const { code, message, hint } =
    timeout(facts) ??
    diagnoseCertificate(facts) ??
    diagnoseProtocol(facts) ??
    diagnoseErrorCode(facts);
  return diagnosis(
    code,
    excerptOf(message + behindProxy(facts), longestSentence),
    excerptOf(hint + bypass(facts), longestSentence),
  );
}

function timeout(facts: ConnectionFacts): Diagnosis | undefined {
  const { phase, timeoutMs } = facts;
  if (timeoutMs === undefined) return undefined;
  const [seen, hint] = phases[phase];
  const progress = phase === 'body' ? ` (${bytesSeen(facts)})` : '';
  const limit = timeoutMs % 1000 === 0 ? `${timeoutMs / 1000} s` : `${timeoutMs} ms`;
  const message = `No response from ${peerOf(facts)} within ${limit}: ${seen}${progress}.`;
  return diagnosis('timeout', message, hint);
}

function bytesSeen({ bodyBytes = 0, announcedBytes }: ConnectionFacts): string {
  return announcedBytes === undefined
    ? `${bodyBytes} bytes of it had arrived`
    : `${bodyBytes} of the ${announcedBytes} bytes that Content-Length announces had arrived`;
}

const cut =
  /^(?:ECONNRESET|EPIPE|ECONNABORTED|ENOTCONN|UND_ERR_(?:SOCKET|DESTROYED|RES_CONTENT_LENGTH_MISMATCH))$/;

function diagnoseErrorCode(facts: ConnectionFacts): Diagnosis {
  const { phase, errorCode: code = '', errorText } = facts;
  if (phase === 'lookup' || /^(?:ENOTFOUND|ENODATA|EAI_\w+)$/.test(code)) return dns(facts);
  const peer = peerOf(facts);
  const [seen, hint] = phases[phase];
  if (unreachable[code] !== undefined) {
    return diagnosis(
      'refused',
      `No connection to ${peer}: ${unreachable[code]} (${code}).`,
      peerUrl(facts) === facts.target
        ? 'Check that the server is running on this port, and listens on an address reachable from here.'
        : 'Check the address of the proxy, and that it is running.',
    );
  }
  if (code === 'ETIMEDOUT') {
    return diagnosis('timeout', `The network gave up on ${peer}: ${seen}.`, hint);
  }
  if (cut.test(code) || facts.isCut) return reset(facts);
  const words = [code, errorText].filter(Boolean).join(', ');
  return protocolError(
    `The connection to ${peer} failed (${words}): ${seen}.`,
    'Check the log of the other side at that time.',
  );
}

function dns(facts: ConnectionFacts): Diagnosis {
  const url = peerUrl(facts);
  const temporary = facts.errorCode === 'EAI_AGAIN';
  const seen = temporary ? 'could not be looked up: no name server answered' : 'has no address';
  const hint = temporary
    ? 'Check the network and the resolver of this machine.'
    : 'Check the spelling, and that this machine can resolve the name.';
  const { proxy } = facts;
  const isProxy = url === proxy?.url;
  const from = isProxy && proxy?.source !== undefined ? ` (from ${proxy.source})` : '';
  const role = isProxy ? 'The proxy' : 'The name';
  return diagnosis('dns', `${role} ${url.hostname}${from} ${seen}.`, hint);
}

function reset(facts: ConnectionFacts): Diagnosis {
  const [, , when, hint] = phases[facts.phase];
  const progress = facts.phase === 'body' ? `: ${bytesSeen(facts)}` : '';
  const how = facts.errorCode === 'ECONNRESET' ? ' (ECONNRESET)' : '';
  const message = `The connection to ${peerOf(facts)} was closed by the other side ${when}${how}${progress}.`;
  return diagnosis('reset', message, hint);
}

/** What a time limit ends in each phase, what a cut connection means there, and the fix of each. */
const phases: Readonly<
  Record<Phase, readonly [late: string, lateFix: string, cut: string, cutFix: string]>
> = {
  lookup: [
    'its name was still being looked up',
    'Check the name and the resolver of this machine.',
    'before it was made',
    '',
  ],
  connect: [
    'no connection had been made',
    'A firewall that drops packets looks like this: check that the host and port are open from here.',
    'as soon as it was made',
    'Check for a firewall or a full backlog on the other side.',
  ],
  proxy: [
    'the proxy had not opened a tunnel',
    'Check that the proxy may reach the host.',
    'instead of opening a tunnel',
    'Check the log of the proxy.',
  ],
  tls: [
    'TLS had not been agreed',
    'Check that the port speaks TLS: a plain HTTP server may wait here forever.',
    'while TLS was being agreed',
    'Check that the port speaks TLS, and which versions and names the other side accepts.',
  ],
  request: [
    'the request had not been sent completely',
    "The request isn't being read: check what blocks the server.",
    'before the request was sent completely',
    'The other side closed the connection without reading the body: check for a size limit.',
  ],
  'first-byte': [
    'the response headers had not arrived',
    'The request was accepted, but no response came: check what its handler is waiting for, or allow more time.',
    'without a response',
    'The handler ended without writing a response: check for a crash or a killed worker.',
  ],
  body: [
    'the body of the response was not complete',
    'The response was started but not finished: close the body, or allow more time.',
    'in the middle of the response',
    'Check that Content-Length counts bytes, not characters, and that nothing kills the handler while it writes.',
  ],
};

/** Why no connection could be made, by the operating system's code. */
const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there, or a firewall refuses',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to its network',
  EHOSTDOWN: 'the host is down',
  EADDRNOTAVAIL: "the address can't be connected to",
  EACCES: 'this machine does not allow the connection',
  EPERM: 'this machine does not allow the connection',
};

/** The diagnosis of a peer that speaks something else than expected; undefined where it does not. */
function diagnoseProtocol(facts: ConnectionFacts): Diagnosis | undefined {
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
  const proxy = facts.proxy === undefined ? 'The proxy' : capitalised(proxyName(facts.proxy));
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
const alerts: readonly (readonly [numbers: readonly number[], meaning: string, hint: string])[] = [
  [
    [40],
    'no common cipher or parameters (handshake_failure)',
    'Check the TLS versions and cipher suites that the server allows, and whether it requires a client certificate.',
  ],
  [
    [42, 43, 44, 45, 46, 48],
    'it does not accept the client certificate',
    'Check the dates of the client certificate and its key, and that the server trusts its issuer.',
  ],
  [
    [112],
    "it doesn't know this host name (unrecognized_name)",
    'Check the host in the URL, and the host names that the server is configured for.',
  ],
  [
    [116],
    'it requires a client certificate, but none was sent (certificate_required)',
    'Provide a client certificate and its key.',
  ],
];

function alert(facts: ConnectionFacts, number: number): Diagnosis {
  const known = alerts.find(([numbers]) => numbers.includes(number));
  const [, meaning = `it sent the TLS alert ${number}`, hint = "Check the server's log."] =
    known ?? [];
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
  // A body that ends too early is not unreadable but a connection cut.
  const isContradiction =
    facts.errorCode === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && facts.phase !== 'body';
  const contradiction = isContradiction ? 'Content-Length contradicts what follows' : undefined;
  const reason = facts.unreadable ?? contradiction;
  if (reason === undefined) return undefined;
  const place = facts.firstBytes?.length ? `; it stopped at "${shown(facts.firstBytes)}"` : '';
  return protocolError(
    `What ${peerOf(facts)} sent is not HTTP/1.1 (${reason}${place}).`,
    'Check that the port belongs to an HTTP server, and that its HTTP library writes the response, not your own code.',
  );
}

function shown(bytes: Uint8Array): string {
  return excerptOf(Buffer.from(bytes.subarray(0, 40)).toString('latin1'), 40);
}

/** The diagnosis of a certificate that was refused here; undefined where none was. */
function diagnoseCertificate(facts: ConnectionFacts): Diagnosis | undefined {
  const { verifyCode } = facts;
  if (verifyCode === undefined) return undefined;
  if (verifyCode === 'ERR_TLS_CERT_ALTNAME_INVALID') return hostname(facts);
  if (/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/.test(verifyCode)) return expired(facts);
  const [reason, hint] = trustReason(verifyCode, facts.certificates?.[0]?.issuer);
  const { hostname: host } = peerUrl(facts);
  const message = `The certificate of ${host} is not trusted: ${reason} (${verifyCode}).`;
  return diagnosis('tls-untrusted', message, hint);
}

/** Certificates of large sites have hundreds of names. */
const namesShown = 8;

function hostname(facts: ConnectionFacts): Diagnosis {
  const leaf = facts.certificates?.[0];
  const names = leaf?.names ?? [];
  const listed = firstOf(names, namesShown) || `no name but its subject, ${leaf?.subject}`;
  return diagnosis(
    'tls-hostname',
    `The certificate of ${peerUrl(facts).hostname} is for other host names: ${listed}.`,
    `Use a URL with one of those names, or a certificate with ${peerUrl(facts).hostname} in its subjectAltName.`,
  );
}

function expired(facts: ConnectionFacts): Diagnosis {
  const { certificates = [], now = Number.NaN } = facts;
  const early = facts.verifyCode === 'CERT_NOT_YET_VALID';
  const index = certificates.findIndex(({ validFrom, validTo }) =>
    early ? now < validFrom : now > validTo,
  );
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

function formatDate(instant: number | undefined): string {
  return instant === undefined || Number.isNaN(instant)
    ? 'an unreadable date'
    : `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const addIssuer =
  "name its issuer's certificate with --ca FILE (ca in the library) or in NODE_EXTRA_CA_CERTS";

function trustReason(
  verifyCode: string,
  issuer = 'an unknown issuer',
): readonly [reason: string, hint: string] {
  switch (verifyCode) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return [
        'it is self-signed',
        'Name this certificate with --ca FILE (ca in the library) or in NODE_EXTRA_CA_CERTS, or use one that a known CA has signed.',
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
