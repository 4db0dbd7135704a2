import { accepted, type HostileResponse, lost, message, raw, repeat, wrong } from './response.ts';

const broken = lost('protocol-error');

/** The right response under another status line or with further header lines. */
function headed(
  name: string,
  ending: HostileResponse['ending'],
  head: { status?: string; headers?: readonly string[] },
): HostileResponse {
  return raw(name, ending, (right) => message(right, head));
}

const status = (name: string, line: string, ending = broken) =>
  headed(name, ending, { status: line });
const header = (name: string, line: string, ending = broken) =>
  headed(name, ending, { headers: [line] });

/** Heads that are too long, broken, or of another protocol. */
export const heads: readonly HostileResponse[] = [
  header('a header of 64 KB', `x: ${'y'.repeat(65536)}`),
  header('a header name of 64 KB', `${'x'.repeat(65536)}: y`),
  headed('4,000 headers', broken, {
    headers: Array.from({ length: 4000 }, (_, index) => `x${index}: y`),
  }),
  headed('1,000 headers', accepted, {
    headers: Array.from({ length: 1000 }, (_, index) => `x${index}: y`),
  }),
  header('a header of 15 KB', `x: ${'y'.repeat(15_000)}`, accepted),
  header('a header without a colon', 'no colon here'),
  header('a header without a name', ': value'),
  header('a header name with a space', 'x y: z'),
  header('a space before the colon', 'x : y'),
  header('a folded header (obs-fold)', 'x: y\r\n z'),
  header('a folded header with a tab', 'x: y\r\n\tz'),
  header('a fold in the first header', ' x: y'),
  header('a NUL in a header', 'x: a\0b'),
  header('a bare CR in a header', 'x: a\rb'),
  header('a bare LF in a header', 'x: a\nb: c'),
  header('an escape in a header', 'x: \u001b[2J'),
  header('DEL in a header', 'x: \u007f'),
  header('Latin-1 in a header', 'x: \u00e9\u00ff', accepted),
  header('an empty header', 'x:', accepted),
  header('a header name in Latin-1', '\u00e9: x'),
  header('__proto__ as a header', '__proto__: x', accepted),
  header('many cookies', `set-cookie: a=${'b'.repeat(4000)}`, accepted),
  header('a switch of protocols offered', 'upgrade: h2c\r\nconnection: upgrade', accepted),
  header('connection: close', 'connection: close', accepted),
  header('keep-alive for no time', 'keep-alive: timeout=0', accepted),
  header('keep-alive for ever', `keep-alive: timeout=${'9'.repeat(40)}`, accepted),
  header('a date that is none', 'date: yesterday, perhaps', accepted),
  header('a date beyond time', 'date: Fri, 31 Dec 999999 23:59:59 GMT', accepted),
  header(
    'a content type of 10 KB',
    `content-type: application/json;${'a=b;'.repeat(2500)}`,
    accepted,
  ),
  header('no content type', 'x: y', accepted),
  status('no status', 'HTTP/1.1'),
  status('a status of letters', 'HTTP/1.1 abc OK'),
  status('the status 99', 'HTTP/1.1 99 Low'),
  status('the status 1000', 'HTTP/1.1 1000 High'),
  status('the status -1', 'HTTP/1.1 -1 Minus'),
  status('the status 000', 'HTTP/1.1 000 Zero'),
  status('the status 999', 'HTTP/1.1 999 Mine', accepted),
  status('the status 600', 'HTTP/1.1 600 Beyond', accepted),
  status('no reason', 'HTTP/1.1 200', accepted),
  status('a reason of 10 KB', `HTTP/1.1 200 ${'x'.repeat(10_000)}`, accepted),
  status('a reason of 64 KB', `HTTP/1.1 200 ${'x'.repeat(65_536)}`, { exit: 'any' }),
  status('a NUL in the reason', 'HTTP/1.1 200 O\0K', accepted),
  status('HTTP/1.0', 'HTTP/1.0 200 OK', accepted),
  status('HTTP/2.0', 'HTTP/2.0 200 OK', accepted),
  status('HTTP/9.9', 'HTTP/9.9 200 OK'),
  status('HTTP/1.10', 'HTTP/1.10 200 OK'),
  status('small letters', 'http/1.1 200 ok'),
  status('ICY', 'ICY 200 OK'),
  status('RTSP', 'RTSP/1.0 200 OK', accepted),
  status('a request', 'POST /callback HTTP/1.1'),
  status('line ends before the status', '\r\n\r\n\r\nHTTP/1.1 200 OK', accepted),
  status('a space before the status', ' HTTP/1.1 200 OK'),
  raw(
    'LF alone as line ends',
    broken,
    (right) => `HTTP/1.1 200 OK\ncontent-length: ${right.length}\n\n${right}`,
    'end',
  ),
  raw('HTTP/0.9', broken, (right) => right, 'end'),
  raw('HTTP/2 frames', broken, Uint8Array.of(0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 64, 0), 'end'),
  raw('an SSH server', broken, 'SSH-2.0-OpenSSH_9.6\r\n'),
  raw('an SMTP server', broken, '220 mail.example ESMTP ready\r\n'),
  raw('a TLS alert', broken, Uint8Array.of(0x15, 3, 3, 0, 2, 2, 40), 'end'),
  raw(
    'random bytes',
    broken,
    Uint8Array.from({ length: 4096 }, (_, index) => (index * 97 + 13) % 256),
  ),
  raw('terminal escapes', broken, '\u001b]0;owned\u0007\u001b[2J\u001b[31m\r\n'),
  raw('line ends alone', lost('reset'), '\r\n'.repeat(100_000), 'end'),
  {
    name: 'headers without end',
    ending: broken,
    serve: (line) => {
      line.send('HTTP/1.1 200 OK\r\n');
      repeat(line, 'x: y\r\n'.repeat(1000));
    },
  },
  {
    name: 'one header without end',
    ending: broken,
    serve: (line) => {
      line.send('HTTP/1.1 200 OK\r\nx: ');
      repeat(line, 'y'.repeat(65536));
    },
  },
  {
    name: 'a reason without end',
    ending: broken,
    serve: (line) => {
      line.send('HTTP/1.1 200 ');
      repeat(line, 'y'.repeat(65536));
    },
  },
  headed('an unknown field of the status 402', accepted, { status: 'HTTP/1.1 402 Pay' }),
  headed('the reason of a refusal', wrong('redirect'), {
    status: 'HTTP/1.1 308 Go',
    headers: ['location: /'],
  }),
];
