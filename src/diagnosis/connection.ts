import type { Diagnosis } from '../errors.ts';
import { diagnosis } from './catalogue-entry.ts';
import { type ConnectionFacts, peerOf, peerUrl } from './connection-facts.ts';
import { diagnoseProtocol, isCut } from './connection-protocol.ts';
import { diagnoseCertificate } from './connection-tls.ts';
import { cutAt, doing, slow, unreachable } from './connection-words.ts';

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

function wordsOf({ errorCode, errorText }: ConnectionFacts): string {
  return [errorCode, errorText].filter((part) => part !== undefined && part !== '').join(', ');
}

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
  if (facts.socketPath !== undefined) return noSocket(facts.socketPath, code);
  if (facts.phase === 'lookup' || /^(?:ENOTFOUND|ENODATA|EAI_\w+)$/.test(code)) return dns(facts);
  const reason = unreachable[code];
  if (reason !== undefined) return refused(facts, reason);
  if (code === 'ETIMEDOUT') {
    const [seen, hint] = slow[facts.phase];
    return diagnosis('timeout', `The network gave up on ${peerOf(facts)}: ${seen}.`, hint);
  }
  return cut.has(code) || isCut(facts) ? reset(facts) : undefined;
}

/** Of the Unix socket itself: what is wrong behind it is said as of any other server. */
function noSocket(path: string, code: string): Diagnosis {
  const [seen, hint] = socketFaults[code] ?? [
    `The Unix socket ${path} can't be connected to`,
    'Look at the path, its rights, and whether the server runs.',
  ];
  return diagnosis('refused', `${seen.replace('PATH', () => path)} (${code}).`, hint);
}

const socketFaults: Readonly<Record<string, readonly [seen: string, hint: string]>> = {
  ENOENT: [
    'There is no Unix socket PATH',
    'Check the path, and that the server runs: it makes the socket when it starts.',
  ],
  ENOTSOCK: ['PATH is no Unix socket', 'Give the path on which the server listens.'],
  ECONNREFUSED: [
    'Nobody listens on the Unix socket PATH',
    'A server that was killed leaves its socket behind: start it again.',
  ],
  EACCES: [
    'This user may not connect to the Unix socket PATH',
    'It needs the right to write to the socket, and to enter every folder of its path.',
  ],
};

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
