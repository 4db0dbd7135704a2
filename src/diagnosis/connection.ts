import type { Diagnosis } from '../errors.ts';
import { type ConnectionFacts, type Phase, peerOf, peerUrl } from './connection-facts.ts';
import { diagnoseCertificate, diagnoseProtocol } from './connection-protocol.ts';
import { diagnosis } from './diagnosis.ts';

/**
 * Why a request has no usable response, by what is most certain: authcli's own time limit, the
 * verdict on a certificate, a proxy or TLS alert, the first bytes, the platform's error code.
 */
export function diagnoseConnection(facts: ConnectionFacts): Diagnosis {
  if (facts.timeoutMs !== undefined) return timeout(facts, facts.timeoutMs);
  return (
    diagnoseCertificate(facts) ??
    diagnoseProtocol(facts) ??
    diagnoseErrorCode(facts) ??
    diagnosis(
      'protocol-error',
      `The connection to ${peerOf(facts)} failed while ${doing[facts.phase]}: ${[facts.errorCode, facts.errorText].filter(Boolean).join(', ')}.`,
      'Check the log of the other side at that time.',
    )
  );
}

function timeout(facts: ConnectionFacts, timeoutMs: number): Diagnosis {
  const [seen, hint] = slow[facts.phase];
  const progress = facts.phase === 'body' ? ` (${bytesSeen(facts)})` : '';
  const limit = timeoutMs % 1000 === 0 ? `${timeoutMs / 1000} s` : `${timeoutMs} ms`;
  const message = `No response from ${peerOf(facts)} within ${limit}: ${seen}${progress}.`;
  return diagnosis('timeout', message, hint);
}

function bytesSeen({ bodyBytes = 0, announcedBytes }: ConnectionFacts): string {
  return announcedBytes === undefined
    ? `${bodyBytes} bytes of it had arrived`
    : `${bodyBytes} of the ${announcedBytes} bytes that Content-Length announces had arrived`;
}

const cut = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'ENOTCONN',
  'UND_ERR_SOCKET',
  'UND_ERR_DESTROYED',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);

function diagnoseErrorCode(facts: ConnectionFacts): Diagnosis | undefined {
  const code = facts.errorCode ?? '';
  if (facts.phase === 'lookup' || /^(?:ENOTFOUND|ENODATA|EAI_\w+)$/.test(code)) return dns(facts);
  const reason = unreachable[code];
  if (reason !== undefined) return refused(facts, reason);
  if (code === 'ETIMEDOUT') {
    const [seen, hint] = slow[facts.phase];
    return diagnosis('timeout', `The network gave up on ${peerOf(facts)}: ${seen}.`, hint);
  }
  return cut.has(code) || facts.isCut ? reset(facts) : undefined;
}

function dns(facts: ConnectionFacts): Diagnosis {
  const url = peerUrl(facts);
  const temporary = facts.errorCode === 'EAI_AGAIN';
  const seen = temporary ? 'could not be looked up: no name server answered' : 'has no address';
  const hint = temporary
    ? 'Check the network and the resolver of this machine.'
    : 'Check the spelling, and that this machine can resolve the name.';
  const role = url === facts.proxy ? 'The proxy' : 'The name';
  return diagnosis('dns', `${role} ${url.hostname} ${seen}.`, hint);
}

function refused(facts: ConnectionFacts, reason: string): Diagnosis {
  return diagnosis(
    'refused',
    `No connection to ${peerOf(facts)}: ${reason} (${facts.errorCode}).`,
    'Check that the server is running on this port, and listens on an address reachable from here.',
  );
}

function reset(facts: ConnectionFacts): Diagnosis {
  const [when, hint] = cutAt[facts.phase];
  const progress = facts.phase === 'body' ? `: ${bytesSeen(facts)}` : '';
  const how = facts.errorCode === 'ECONNRESET' ? ' (ECONNRESET)' : '';
  const message = `The connection to ${peerOf(facts)} was closed by the other side ${when}${how}${progress}.`;
  return diagnosis('reset', message, hint);
}

const doing: Readonly<Record<Phase, string>> = {
  lookup: 'its name was looked up',
  connect: 'the connection was made',
  proxy: 'the proxy was asked for a tunnel',
  tls: 'TLS was being agreed',
  request: 'the request was sent',
  'first-byte': 'the response was awaited',
  body: 'the body of the response was read',
};

type ByPhase = Readonly<Record<Phase, readonly [seen: string, hint: string]>>;

/** What a time limit ends in each phase. */
const slow: ByPhase = {
  lookup: [
    'its name was still being looked up',
    'Check the name and the resolver of this machine.',
  ],
  connect: [
    'no connection had been made',
    'A firewall that drops packets looks like this: check that the host and port are open from here.',
  ],
  proxy: ['the proxy had not opened a tunnel', 'Check that the proxy may reach the host.'],
  tls: [
    'TLS had not been agreed',
    'Check that the port speaks TLS: a plain HTTP server may wait here forever.',
  ],
  request: [
    'the request had not been sent completely',
    "The request isn't being read: check what blocks the server.",
  ],
  'first-byte': [
    'the response headers had not arrived',
    'The request was accepted, but no response came: check what its handler is waiting for, or allow more time.',
  ],
  body: [
    'the body of the response was not complete',
    'The response was started but not finished: close the body, or allow more time.',
  ],
};

/** What a cut connection means in each phase. */
const cutAt: ByPhase = {
  lookup: ['before it was made', ''],
  connect: ['as soon as it was made', 'Check for a firewall or a full backlog on the other side.'],
  proxy: ['instead of opening a tunnel', 'Check the log of the proxy.'],
  tls: [
    'while TLS was being agreed',
    'Check that the port speaks TLS, and which versions and names the other side accepts.',
  ],
  request: [
    'before the request was sent completely',
    'The other side closed the connection without reading the body: check for a size limit.',
  ],
  'first-byte': [
    'without a response',
    'The handler ended without writing a response: check for a crash or a killed worker.',
  ],
  body: [
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
