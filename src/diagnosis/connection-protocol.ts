import type { Diagnosis } from '../errors.ts';
import { excerptOf } from '../text.ts';
import { diagnosis } from './catalogue-entry.ts';
import { type ConnectionFacts, peerOf } from './connection-facts.ts';

/** The diagnosis of a peer that speaks something else than expected; undefined where it does not. */
export function diagnoseProtocol(facts: ConnectionFacts): Diagnosis | undefined {
  if (facts.proxyStatus !== undefined) return proxyRefusal(facts, facts.proxyStatus);
  if (facts.tlsAlert !== undefined) return alert(facts, facts.tlsAlert);
  return mixedUp(facts) ?? unreadable(facts);
}

function proxyRefusal(facts: ConnectionFacts, status: number): Diagnosis {
  const proxy = facts.proxy?.host ?? '';
  const wanted = `a connection to ${facts.target.host}`;
  if (status === 407) {
    return diagnosis(
      'protocol-error',
      `The proxy ${proxy} asks for credentials (status 407); ${wanted} was not made.`,
      "Put user and password into the proxy's URL: http://user:password@host:port.",
    );
  }
  return diagnosis(
    'protocol-error',
    `The proxy ${proxy} refused ${wanted} (status ${status}).`,
    status >= 500
      ? 'The proxy could not reach the host: check the name and port as seen from the proxy.'
      : 'Allow the host and port in the proxy, or except the host from it.',
  );
}

/** Meanings of the alerts that a client meets (RFC 8446 6.2), with what to change. */
const alerts: Readonly<Record<number, readonly [meaning: string, hint: string]>> = {
  40: [
    'no common cipher or parameters (handshake_failure)',
    'Check the TLS versions and cipher suites that the server allows, and whether it wants a client certificate.',
  ],
  42: [
    'the client certificate is bad (bad_certificate)',
    'Check the client certificate and its key.',
  ],
  43: ['the client certificate is of a kind it does not take', 'Check the client certificate.'],
  44: ['the client certificate was revoked', 'Use a new client certificate.'],
  45: ['the client certificate has expired', 'Renew the client certificate.'],
  46: ['the client certificate is not acceptable', 'Check the client certificate.'],
  48: [
    'the issuer of the client certificate is not known to it (unknown_ca)',
    'Have the server trust the issuer of the client certificate, or use another one.',
  ],
  70: ['it speaks no TLS version that is spoken here (protocol_version)', 'Allow TLS 1.2 or 1.3.'],
  80: ['it met an error of its own (internal_error)', "Look into the server's log."],
  112: [
    'it knows no such name (unrecognized_name)',
    'Check the host in the URL, and the names that the server is set up for.',
  ],
  116: [
    'it wants a client certificate, and none was sent (certificate_required)',
    'Give a client certificate and its key.',
  ],
};

function alert(facts: ConnectionFacts, number: number): Diagnosis {
  const [meaning, hint] = alerts[number] ?? [
    `it sent the TLS alert ${number}`,
    "Look into the server's log.",
  ];
  return diagnosis('protocol-error', `${peerOf(facts)} refused TLS: ${meaning}.`, hint);
}

/** Plain HTTP where TLS was meant, or the reverse: found out, never guessed. */
function mixedUp(facts: ConnectionFacts): Diagnosis | undefined {
  const speaks = isTlsRecord(facts.firstBytes ?? new Uint8Array()) ? 'tls' : facts.speaks;
  if (speaks === undefined) return undefined;
  return speaks === 'http'
    ? diagnosis(
        'protocol-error',
        `${peerOf(facts)} speaks plain HTTP, and the URL says https.`,
        'Write http:// in the URL, or the port of the TLS server.',
      )
    : diagnosis(
        'protocol-error',
        `${peerOf(facts)} speaks TLS, and the URL says http.`,
        'Write https:// in the URL.',
      );
}

/** Whether the bytes begin a TLS alert or handshake record (RFC 8446 5.1). */
function isTlsRecord(bytes: Uint8Array): boolean {
  return (bytes[0] === 0x15 || bytes[0] === 0x16) && bytes[1] === 0x03;
}

function unreadable(facts: ConnectionFacts): Diagnosis | undefined {
  if (facts.errorCode === 'UND_ERR_HEADERS_OVERFLOW') {
    return diagnosis(
      'protocol-error',
      `The head of the answer of ${peerOf(facts)} is larger than 16 KiB.`,
      'Send smaller headers: look for a cookie or a debugging header that grows.',
    );
  }
  if (facts.isEndless) {
    return diagnosis(
      'protocol-error',
      `What ${peerOf(facts)} sends around its answer has no end: a reason phrase, informational answers, extensions of chunks or trailers.`,
      'Look for a loop that writes informational answers, or for a server that is none for HTTP.',
    );
  }
  const reason = reasonOf(facts);
  if (reason === undefined) return undefined;
  const place = facts.firstBytes?.length ? `; it stopped at "${shown(facts.firstBytes)}"` : '';
  return diagnosis(
    'protocol-error',
    `What ${peerOf(facts)} answered is no HTTP/1.1 (${reason}${place}).`,
    'Check that the port is that of an HTTP server, and that the answer is written by its library, not by hand.',
  );
}

/** Not so a body that ends too early: that is a connection cut. */
function reasonOf(facts: ConnectionFacts): string | undefined {
  const { phase, errorCode = '', errorText = '' } = facts;
  if (facts.unreadable !== undefined) return isCut(facts) ? undefined : facts.unreadable;
  const isContradiction = errorCode === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && phase !== 'body';
  if (isContradiction) return 'Content-Length contradicts what follows';
  // undici's words for an answer that was not asked for, a status 100, and a switch of protocols
  return errorCode === 'UND_ERR_SOCKET' && /^bad /.test(errorText) ? errorText : undefined;
}

/** Whether the connection ended within a body, which the parser calls unreadable. */
export function isCut({ unreadable: reason }: ConnectionFacts): boolean {
  return reason !== undefined && /EOF/.test(reason);
}

/** The first bytes as text, without a control character. */
function shown(bytes: Uint8Array): string {
  return excerptOf(Buffer.from(bytes.subarray(0, 40)).toString('latin1'), 40);
}
