import type { Diagnosis } from '../errors.ts';
import { diagnosis } from './catalogue-entry.ts';
import { type ConnectionFacts, type Phase, peerOf, peerUrl } from './connection-facts.ts';
import { diagnoseProtocol, isCut } from './connection-protocol.ts';
import { diagnoseCertificate } from './connection-tls.ts';

/**
 * Says why a request got no usable answer.
 *
 * The order is that of certainty: the time limit that authcli itself set, the verdict on a
 * certificate, what a proxy or a TLS alert said in so many words, the first bytes that came, and
 * the platform's error code last.
 */
export function diagnoseConnection(facts: ConnectionFacts): Diagnosis {
  if (facts.timeoutMs !== undefined) return timeout(facts, facts.timeoutMs);
  return (
    diagnoseCertificate(facts) ??
    diagnoseProtocol(facts) ??
    diagnoseErrorCode(facts) ??
    diagnosis(
      'protocol-error',
      `The connection to ${peerOf(facts)} failed while ${doing[facts.phase]}: ${wordsOf(facts)}.`,
      'Look into the log of the other side for the same instant.',
    )
  );
}

const doing: Readonly<Record<Phase, string>> = {
  lookup: 'its name was looked up',
  connect: 'the connection was made',
  proxy: 'the proxy was asked for a tunnel',
  tls: 'TLS was being agreed',
  request: 'the request was sent',
  'first-byte': 'the answer was awaited',
  body: 'the body of the answer was read',
};

function wordsOf({ errorCode, errorText }: ConnectionFacts): string {
  return [errorCode, errorText].filter((part) => part !== undefined && part !== '').join(', ');
}

const slow: Readonly<Record<Phase, readonly [seen: string, hint: string]>> = {
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
    'Check that the port speaks TLS: a plain HTTP server may wait here for ever.',
  ],
  request: [
    'the request had not been sent wholly',
    'The other side does not read: look at what holds it up.',
  ],
  'first-byte': [
    'the head of the answer had not come',
    'The other side took the request and did not answer: look at what its handler waits for, or allow more time.',
  ],
  body: [
    'the body of the answer was not complete',
    'The other side began to answer and did not end: close the body, or allow more time.',
  ],
};

function timeout(facts: ConnectionFacts, timeoutMs: number): Diagnosis {
  const [seen, hint] = slow[facts.phase];
  const progress = facts.phase === 'body' ? ` (${bytesSeen(facts)})` : '';
  return diagnosis(
    'timeout',
    `No answer from ${peerOf(facts)} within ${formatLimit(timeoutMs)}: ${seen}${progress}.`,
    hint,
  );
}

function formatLimit(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000} s` : `${milliseconds} ms`;
}

function bytesSeen({ bodyBytes = 0, announcedBytes }: ConnectionFacts): string {
  return announcedBytes === undefined
    ? `${bodyBytes} bytes of it had come`
    : `${bodyBytes} of the ${announcedBytes} bytes that Content-Length announces had come`;
}

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there, or a firewall refuses',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to its network',
  EHOSTDOWN: 'the host is down',
  EADDRNOTAVAIL: 'that is no address to connect to',
  EACCES: 'this machine does not allow the connection',
  EPERM: 'this machine does not allow the connection',
};

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
  return cut.has(code) || isCut(facts) ? reset(facts) : undefined;
}

function dns(facts: ConnectionFacts): Diagnosis {
  const url = peerUrl(facts);
  const temporary = facts.errorCode === 'EAI_AGAIN';
  const seen = temporary ? 'could not be looked up: no name server answered' : 'has no address';
  const hint = temporary
    ? 'Check the network and the resolver of this machine.'
    : 'Check the spelling, and that the name is known to the resolver of this machine.';
  const role = url === facts.proxy ? 'The proxy' : 'The name';
  return diagnosis('dns', `${role} ${url.hostname} ${seen}.`, hint);
}

function refused(facts: ConnectionFacts, reason: string): Diagnosis {
  return diagnosis(
    'refused',
    `No connection to ${peerOf(facts)}: ${reason} (${facts.errorCode}).`,
    'Check that the server runs, on this port, and listens on an address that is reachable from here.',
  );
}

const cutAt: Readonly<Record<Phase, readonly [seen: string, hint: string]>> = {
  lookup: ['before it was made', ''],
  connect: ['as soon as it was made', 'Look for a firewall or a full backlog on the other side.'],
  proxy: ['instead of opening a tunnel', 'Look into the log of the proxy.'],
  tls: [
    'while TLS was being agreed',
    'Check that the port speaks TLS, and which versions and names the other side accepts.',
  ],
  request: [
    'before the request was sent wholly',
    'The other side closed without reading the body: look for a limit of its size.',
  ],
  'first-byte': [
    'without an answer',
    'The handler ended without writing an answer; look for a crash or a worker that was killed.',
  ],
  body: [
    'in the middle of the answer',
    'Check that Content-Length counts bytes, not characters, and that nothing kills the handler while it writes.',
  ],
};

function reset(facts: ConnectionFacts): Diagnosis {
  const [when, hint] = cutAt[facts.phase];
  const progress = facts.phase === 'body' ? `: ${bytesSeen(facts)}` : '';
  const how = facts.errorCode === 'ECONNRESET' ? ' (ECONNRESET)' : '';
  return diagnosis(
    'reset',
    `The connection to ${peerOf(facts)} was closed by the other side ${when}${how}${progress}.`,
    hint,
  );
}
