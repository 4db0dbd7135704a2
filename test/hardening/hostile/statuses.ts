import { accepted, type HostileResponse, lost, message, raw, repeat, wrong } from './response.ts';

const redirect = wrong('redirect');
const empty = wrong('empty-body');

function under(statusLine: string, ending: HostileResponse['ending'], ...headers: string[]) {
  return raw([statusLine, ...headers].join(', ').slice(0, 60), ending, (right) =>
    message(right, { status: `HTTP/1.1 ${statusLine}`, headers }),
  );
}

const interim = (status: string): string => `HTTP/1.1 ${status}\r\nlink: </x>\r\n\r\n`;

/** Statuses without a body, redirects, and informational responses in any number. */
export const statuses: readonly HostileResponse[] = [
  raw('204', empty, 'HTTP/1.1 204 No Content\r\n\r\n'),
  raw('204 with a length', empty, 'HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\n{}'),
  raw('205 with nothing', empty, 'HTTP/1.1 205 Reset Content\r\ncontent-length: 0\r\n\r\n'),
  raw('304', empty, 'HTTP/1.1 304 Not Modified\r\n\r\n'),
  raw('304 with a length', empty, 'HTTP/1.1 304 Not Modified\r\ncontent-length: 20\r\n\r\n'),
  ...[301, 302, 303, 307, 308].map((status) =>
    under(`${status} Elsewhere`, redirect, 'location: /callback'),
  ),
  ...[
    'http://localhost:1/',
    'http://user:password@localhost:1/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '//[::1',
    'ht!tp://',
    '',
    'x'.repeat(10_000),
    '\u009b2J\u00ad',
  ].map((location) => under('302 Found', redirect, `location: ${location}`)),
  under('300 Multiple Choices', accepted, 'location: /elsewhere'),
  under('305 Use Proxy', accepted, 'location: http://localhost:1/'),
  under('302 Found', redirect),
  under('302 Found', redirect, 'location: /a', 'location: /b'),
  under('200 OK', accepted, 'location: /elsewhere', 'refresh: 0;url=/elsewhere'),
  under('401 Unauthorized', accepted, 'www-authenticate: Basic realm="x"'),
  under('407 Proxy Authentication Required', accepted, 'proxy-authenticate: Basic'),
  under('429 Too Many Requests', accepted, 'retry-after: 999999999'),
  under('500 Internal Server Error', accepted),
  raw(
    '502 and a page',
    wrong('html-instead-of-json'),
    message('<html><h1>Bad Gateway</h1>', {
      status: 'HTTP/1.1 502 Bad Gateway',
      headers: ['content-type: text/html'],
    }),
  ),
  raw('503 and nothing', empty, message('', { status: 'HTTP/1.1 503 Unavailable', headers: [] })),
  raw('100 and the answer', accepted, (right) =>
    Buffer.concat([Buffer.from(interim('100 Continue')), message(right)]),
  ),
  raw('103 and the answer', accepted, (right) =>
    Buffer.concat([Buffer.from(interim('103 Early Hints')), message(right)]),
  ),
  raw('2,000 times 103, and the answer', accepted, (right) =>
    Buffer.concat([Buffer.from(interim('103 Early Hints').repeat(2000)), message(right)]),
  ),
  { ...raw('102 and silence', lost('timeout'), interim('102 Processing')), endless: true },
  raw('103 and the end', lost('reset'), interim('103 Early Hints'), 'end'),
  raw(
    '101',
    lost('protocol-error'),
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  ),
  {
    name: '103 without end',
    ending: lost('protocol-error'),
    serve: (line) => repeat(line, interim('103 Early Hints').repeat(200)),
  },
  {
    name: '102 every now and then',
    ending: lost('timeout'),
    endless: true,
    serve: (line) => repeat(line, interim('102 Processing'), 20),
  },
];
