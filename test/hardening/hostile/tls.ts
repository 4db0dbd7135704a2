import { accepted, body, type HostileResponse, lost, message, raw, wrong } from './response.ts';

const broken = lost('protocol-error');
const secure = { scheme: 'https', speaks: 'https' } as const;
const insecure = { ...secure, argv: ['--insecure'] } as const;
const overTcp = { scheme: 'https', speaks: 'http', atOnce: true } as const;

/** TLS where plain HTTP is expected, the reverse, and faults behind a handshake. */
export const tls: readonly HostileResponse[] = [
  {
    name: 'plain HTTP where TLS is meant',
    ending: broken,
    ...overTcp,
    serve: (line) =>
      void line.socket.once('data', () => line.send(message('', { status: 'HTTP/1.1 400 Bad' }))),
  },
  // The check of what it speaks has half a second: a machine that is too busy for it sees a reset.
  { ...raw('TLS where plain HTTP is meant', { exit: 3 }, ''), speaks: 'https' },
  {
    ...body('a certificate that nobody signed', lost('tls-untrusted'), (right) => right),
    ...secure,
  },
  { ...body('the right answer, unverified', accepted, (right) => right), ...insecure },
  { ...body('a broken answer, unverified', wrong('not-json'), '{'), ...insecure },
  { ...raw('closed behind the handshake', lost('reset'), '', 'end'), ...insecure },
  {
    ...raw(
      'reset within a body',
      lost('reset'),
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{',
      'reset',
    ),
    ...insecure,
  },
  { ...raw('silence behind the handshake', lost('timeout'), ''), ...insecure, endless: true },
  {
    name: 'closed before the handshake',
    ending: lost('reset'),
    ...overTcp,
    serve: (line) => void line.socket.destroy(),
  },
  {
    name: 'silence instead of a handshake',
    ending: lost('timeout'),
    ...overTcp,
    endless: true,
    serve: () => {},
  },
  {
    name: 'noise instead of a handshake',
    ending: broken,
    ...overTcp,
    serve: (line) =>
      line.send(Uint8Array.from({ length: 512 }, (_, index) => (index * 59 + 3) % 256)),
  },
  {
    name: 'an alert instead of a handshake',
    ending: broken,
    ...overTcp,
    serve: (line) => line.send(Uint8Array.of(0x15, 3, 3, 0, 2, 2, 40)),
  },
  {
    name: 'an unknown alert',
    ending: lost('timeout'),
    endless: true,
    ...overTcp,
    serve: (line) => line.send(Uint8Array.of(0x15, 3, 3, 0, 2, 2, 254)),
  },
];
