import type { Phase } from './connection-facts.ts';

/** What was seen, and what to change. */
type Words = readonly [seen: string, hint: string];

/** What was under way in each phase. */
export const doing: Readonly<Record<Phase, string>> = {
  lookup: 'its name was looked up',
  connect: 'the connection was made',
  proxy: 'the proxy was asked for a tunnel',
  tls: 'TLS was being agreed',
  request: 'the request was sent',
  'first-byte': 'the answer was awaited',
  body: 'the body of the answer was read',
};

/** What a time limit ends in each phase. */
export const slow: Readonly<Record<Phase, Words>> = {
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

/** What a cut connection means in each phase. */
export const cutAt: Readonly<Record<Phase, Words>> = {
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

/** Why no connection could be made, by the operating system's code. */
export const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there, or a firewall refuses',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to its network',
  EHOSTDOWN: 'the host is down',
  EADDRNOTAVAIL: 'that is no address to connect to',
  EACCES: 'this machine does not allow the connection',
  EPERM: 'this machine does not allow the connection',
};
