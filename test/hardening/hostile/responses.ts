import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import * as r from './response.ts';

/*
 * Every hostile response that is tried: bodies, encodings, framing, heads, statuses, moments, TLS, and text that acts on terminals.
 */

const { accepted, atOnce, body, cut, drip, lost, message, pour, raw, wrong } = r;
type Response = r.HostileResponse;
type Line = Parameters<Response['serve']>[0];
type Row<Value> = readonly (readonly [name: string, value: Value])[];

const notJson = wrong('not-json');
const page = wrong('html-instead-of-json');
const empty = wrong('empty-body');
const misplaced = wrong('field-misplaced');
const tooLarge = wrong('body-too-large');
const redirect = wrong('redirect');
const reset = lost('reset');
const broken = lost('protocol-error');
const timeout = lost('timeout');

const mebibyte = 1024 * 1024;
const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

/** The right answer with further members. */
const beside = (members: string) => (right: string) => `${right.slice(0, -1)},${members}}`;
const changed = (changes: object) => (_: string, value: object) =>
  JSON.stringify({ ...value, ...changes });
const deep = (opening: string, closing: string, count = 100_000) =>
  opening.repeat(count) + closing.repeat(count);
const fieldsTwice = Array.from({ length: 30_000 }, (_, index) => `"f${index}":1,"f${index}":2`);

/** JSON that is cut, deep, large, ambiguous or intended to break its reader. */
const bodies: readonly Response[] = [
  body('cut in the middle', notJson, (right) => right.slice(0, right.length / 2)),
  body('two answers at once', notJson, (right) => right + right),
  body('100,000 arrays deep', notJson, deep('[', ']')),
  body('100,000 levels beside the answer', notJson, beside(`"x":${deep('[', ']')}`)),
  body('900 levels beside the answer', accepted, beside(`"x":${deep('[', ']', 900)}`)),
  body('100,000 levels in a string', accepted, beside(`"x":${JSON.stringify(deep('{"a":', ''))}`)),
  body('exactly as large as is allowed', accepted, (right) => right.padEnd(mebibyte)),
  body('one byte larger than is allowed', tooLarge, (right) => right.padEnd(mebibyte + 1)),
  body('300,000 elements', accepted, beside(`"x":[${'0,'.repeat(300_000)}0]`)),
  body('a number of 900,000 digits', accepted, beside(`"x":${'9'.repeat(900_000)}`)),
  body('numbers beyond every range', accepted, beside('"x":[1e999,-1e999,-0,9007199254740993]')),
  body('900,000 backslashes', accepted, beside(`"x":"${'\\\\'.repeat(450_000)}"`)),
  body('code twice, success first', notJson, beside('"code":"0001"')),
  body('code twice, once with escapes', notJson, beside('"\\u0063ode":"0001"')),
  body('an unknown field twice', accepted, beside('"x":1,"x":2')),
  body('30,000 names twice, and then code', notJson, beside(`${fieldsTwice},"code":"0000"`)),
  body('__proto__ as a field', accepted, beside('"__proto__":{"code":"9999","polluted":true}')),
  body('__proto__ in the place of all', misplaced, (right) => `{"__proto__":${right}}`),
  body('names of methods', accepted, beside('"toString":1,"hasOwnProperty":1,"toJSON":1,"then":1')),
  body('code in an object', wrong('code-not-string'), changed({ code: { toString: '0000' } })),
  body('code with a NUL behind', wrong('code-not-success'), changed({ code: '0000\0' })),
  body('code in full-width digits', wrong('code-not-success'), changed({ code: '００００' })),
  body('null', notJson, 'null'),
  body('an array', notJson, (right) => `[${right}]`),
  body('a prefix against hijacking', notJson, (right) => `)]}',\n${right}`),
  body('a page of 900 KB of tags', page, `<html>${'<b'.repeat(450_000)}`),
  body('900 KB of brackets behind a page', page, `<p>${'{'.repeat(900_000)}}`),
  body('nothing', empty, ''),
  body('a mebibyte of white space', empty, ' '.repeat(mebibyte)),
];

const coded = (coding: string) => ['content-type: application/json', `content-encoding: ${coding}`];
const nested = (text: string, layers: number): Uint8Array =>
  Array.from({ length: layers }).reduce<Uint8Array>((all) => gzipSync(all), Buffer.from(text));
const hundredfold = Array(100).fill('gzip').join();
const inMembers = (text: string) =>
  Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))]);
/** The right answer with bytes put into its message. */
const inserted = (hex: string) => (right: string) => {
  const [before = '', behind = ''] = right.split('OK');
  return Buffer.concat([Buffer.from(before), bytes(hex), Buffer.from(behind)]);
};
const zeros = Buffer.alloc(100 * mebibyte);
const bomb = gzipSync(zeros);
const members = Array.from({ length: 2000 }, () => gzipSync(zeros.subarray(0, 2 ** 16)));
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

/** Bodies that are not UTF-8, or not what their Content-Encoding says. */
const encodings: readonly Response[] = [
  ...[
    ['an overlong solidus', 'e0 80 af'],
    ['a pair of surrogates as UTF-8 (CESU-8)', 'ed a0 bd ed b8 80'],
    ['EUC-KR', 'b0 a1 b3 aa'],
    ['a NUL in a string', '00'],
  ].map(([name = '', hex = '']) => body(name, notJson, inserted(hex))),
  body('a NUL behind the answer', notJson, (right) => `${right}\0`),
  body('UTF-16, little endian', notJson, utf16),
  body('a byte order mark', accepted, (right) => `\ufeff${right}`),
  body('two byte order marks', notJson, (right) => `\ufeff\ufeff${right}`),
  body('lone surrogates in escapes', accepted, (right) => right.replace('OK', '\\ud83d, \\udc00')),
  body('gzip 100 times', notJson, (right) => nested(right, 100), coded(hundredfold)),
  body('bare deflate', accepted, (right) => deflateRawSync(right), coded('deflate')),
  body('several members of gzip', accepted, inMembers, coded('gzip')),
  body('a gzip bomb of 100 MB', tooLarge, bomb, coded('gzip')),
  body('a br bomb of 32 MB', tooLarge, brotliCompressSync(zeros.subarray(0, 2 ** 25)), coded('br')),
  body('a bomb of many members', tooLarge, Buffer.concat(members), coded('gzip')),
  body('a bomb under no name', notJson, bomb),
  body('gzip cut short', notJson, (right) => gzipSync(right).subarray(0, -12), coded('gzip')),
  body('deflate of noise', notJson, bytes('78 9c 01 02 03 04 05 06'), coded('deflate')),
  body('gzip of nothing', empty, gzipSync(''), coded('gzip')),
  body('zstd', notJson, bytes('28 b5 2f fd 00 01 02 03'), coded('zstd')),
  body('an encoding that nobody has', notJson, (right) => right, coded('x'.repeat(5000))),
  body('identity, and commas', accepted, (right) => right, coded(',, identity ,,')),
];

const ok = (headers: string, text = ''): string => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${text}`;
const chunked = 'transfer-encoding: chunked';
const last = '0\r\n\r\n';
const hex = ({ length }: string): string => length.toString(16);
const chunk = (text: string): string => `${hex(text)}\r\n${text}\r\n`;
const sized = (size: string, text: string): string => `${size}\r\n${text}\r\n${last}`;
const lengthOf = ({ length }: string, more = 0) => `content-length: ${length + more}`;
const whole = (right: string, trailers = '') => `${chunk(right)}0\r\n${trailers}\r\n`;
const endless = (response: Response): Response => ({ ...response, ending: timeout, endless: true });
const inChunks = (name: string, end: r.Ending, make: (right: string) => string, then?: r.Then) =>
  raw(name, end, (right) => ok(chunked, make(right)), then);
const zipped = (right: string) =>
  Buffer.concat([Buffer.from(ok('transfer-encoding: gzip')), gzipSync(right)]);

/** Content-Length and Transfer-Encoding that contradict the body, each other, or the grammar. */
const framing: readonly Response[] = [
  raw('a length that is too short', notJson, (right) => ok(lengthOf(right, -5), right)),
  raw('too long, and the end', reset, (right) => ok(lengthOf(right, 5), right), 'end'),
  endless(raw('too long, and silence', timeout, (right) => ok(lengthOf(right, 5), right))),
  ...['-1', '0x10', '5,5', '', '18446744073709551616'].map((length) =>
    raw(`the length "${length}"`, broken, (right) => ok(`content-length: ${length}`, right)),
  ),
  raw('a length of 2^53', tooLarge, (right) => ok('content-length: 9007199254740992', right)),
  raw('a length, chunks', broken, (right) => ok(`${lengthOf(right)}\r\n${chunked}`, whole(right))),
  raw('no length, ended', accepted, (right) => ok('x: y', right), 'end'),
  endless(raw('no length, and silence', timeout, (right) => ok('x: y', right))),
  inChunks('chunks of one byte', accepted, (right) => `${[...right].map(chunk).join('')}${last}`),
  inChunks('chunks with extensions', accepted, (right) => sized(`${hex(right)};a=b;c`, right)),
  ...['zz', '', 'FFFFFFFFFFFFFFFFF', '5'].map((size) =>
    inChunks(`the chunk size "${size}"`, broken, (right) => sized(size, right)),
  ),
  inChunks('chunks cut short', reset, chunk, 'end'),
  endless(inChunks('chunks that stop', timeout, chunk)),
  inChunks('trailers of 64 KB', broken, (right) => whole(right, `x: ${'y'.repeat(65536)}\r\n`)),
  raw('gzip for the transfer', notJson, zipped, 'end'),
  raw('a second response behind the first', accepted, (right) => {
    return `${ok(lengthOf(right), right)}${ok('content-length: 2', '{}')}`;
  }),
  pour('a body without end', tooLarge, ok('x: y', '{"code":"'), 'x'.repeat(65536)),
  pour('chunks without end', tooLarge, ok(chunked), chunk('x'.repeat(65536))),
  pour('trailers without end', broken, ok(chunked, '0\r\n'), 'x: y\r\n'.repeat(4096)),
];

/** The right answer under another status line, or with a further header line. */
const status = (line: string, ending: r.Ending = broken, ...headers: string[]) =>
  raw(`${line} ${headers}`.slice(0, 60), ending, (right) =>
    message(right, { status: line, headers }),
  );
const header = (name: string, line: string, ending = broken) =>
  raw(name, ending, (right) => message(right, { headers: [line] }));
const withLf = (right: string) => ok(lengthOf(right), right).replace(/\r/g, '');
const noise = Uint8Array.from({ length: 4096 }, (_, index) => (index * 97 + 13) % 256);
const many = (count: number) => Array.from({ length: count }, (_, at) => `x${at}: y`).join('\r\n');

/** Heads that are too long, broken, or of another protocol. */
const heads: readonly Response[] = [
  header('a header of 64 KB', `x: ${'y'.repeat(65536)}`),
  header('4,000 headers', many(4000)),
  ...['no colon here', ': value', 'x y: z', 'x : y', 'x: y\r\n z', 'é: x'].map((line) =>
    header(`the header ${JSON.stringify(line)}`, line),
  ),
  ...['a\0b', 'a\rb', 'a\nb: c', '\u001b[2J', '\u007f'].map((text) =>
    header(`${JSON.stringify(text)} in a header`, `x: ${text}`),
  ),
  ...['x: \u00e9\u00ff', 'x:', '__proto__: x', 'upgrade: h2c\r\nconnection: upgrade'].map((line) =>
    header(`the header ${JSON.stringify(line)}`, line, accepted),
  ),
  ...['connection: close', 'keep-alive: timeout=0', `keep-alive: timeout=${'9'.repeat(40)}`].map(
    (line) => header(line, line, accepted),
  ),
  header('a date beyond time', 'date: Fri, 31 Dec 999999 23:59:59 GMT', accepted),
  ...['', ' abc OK', ' 99 Low', ' 1000 High', ' -1 Minus'].map((end) => status(`HTTP/1.1${end}`)),
  ...['HTTP/9.9 200 OK', 'http/1.1 200 ok', 'ICY 200 OK', ' HTTP/1.1 200 OK'].map((line) =>
    status(line),
  ),
  ...['HTTP/1.1 999 Mine', 'HTTP/1.1 200', 'HTTP/1.0 200 OK', '\r\n\r\nHTTP/1.1 200 OK'].map(
    (line) => status(line, accepted),
  ),
  status(`HTTP/1.1 200 ${'x'.repeat(65_536)}`, { exit: 'any' }),
  raw('LF alone as line ends', broken, withLf, 'end'),
  raw('HTTP/0.9', broken, (right) => right, 'end'),
  raw('an SSH server', broken, 'SSH-2.0-OpenSSH_9.6\r\n'),
  raw('noise', broken, noise),
  raw('terminal escapes', broken, '\u001b]0;owned\u0007\u001b[2J\u001b[31m\r\n'),
  pour('headers without end', broken, 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'.repeat(1000)),
  pour('a reason without end', broken, 'HTTP/1.1 200 ', 'y'.repeat(65536)),
];

const interim = (text: string): string => `HTTP/1.1 ${text}\r\nlink: </x>\r\n\r\n`;
const behind = (first: string) => (right: string) =>
  Buffer.concat([Buffer.from(first), message(right)]);

/** Statuses without a body, redirects, and informational responses in any number. */
const statuses: readonly Response[] = [
  raw('204', empty, 'HTTP/1.1 204 No Content\r\n\r\n'),
  raw('304 with a length', empty, 'HTTP/1.1 304 Not Modified\r\ncontent-length: 20\r\n\r\n'),
  ...['301', '303', '307', '308'].map((code) =>
    status(`HTTP/1.1 ${code} Elsewhere`, redirect, 'location: /callback'),
  ),
  ...[
    ...['http://localhost:1/', 'http://user:password@localhost:1/', 'file:///etc/passwd'],
    ...['javascript:alert(1)', '//[::1', 'ht!tp://', '', 'x'.repeat(10_000), '\u009b2J\u00ad'],
  ].map((location) => status('HTTP/1.1 302 Found', redirect, `location: ${location}`)),
  status('HTTP/1.1 302 Found', redirect),
  status('HTTP/1.1 300 Multiple Choices', accepted, 'location: /elsewhere'),
  status('HTTP/1.1 407 Proxy Authentication Required', accepted, 'proxy-authenticate: Basic'),
  status('HTTP/1.1 429 Too Many Requests', accepted, 'retry-after: 999999999'),
  raw('502 and a page', page, message('<html><h1>Bad', { status: 'HTTP/1.1 502 Bad Gateway' })),
  raw('100 and the answer', accepted, behind(interim('100 Continue'))),
  raw('2,000 times 103', accepted, behind(interim('103 Early Hints').repeat(2000))),
  endless(raw('102 and silence', timeout, interim('102 Processing'))),
  raw('103 and the end', reset, interim('103 Early Hints'), 'end'),
  raw('101', broken, 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  pour('103 without end', broken, '', interim('103 Early Hints').repeat(200)),
];

const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n';
const long = 'content-length: 100000';

const early = message('{"code":"0000","message":"early"}');
const sent = (data: string | Uint8Array) => (line: Line) => line.send(data);
const byteByByte: Response['serve'] = async (line, right) => {
  for (const byte of message(JSON.stringify(right))) {
    line.send(Uint8Array.of(byte));
    if (byte === 0x0a) await new Promise((resolve) => setImmediate(resolve));
  }
};

/** Closed, reset, early, slow and late: what may happen at every moment of an exchange. */
const moments: readonly Response[] = [
  endless({ name: 'silence', ending: timeout, serve: () => {} }),
  ...['HTTP/1.1 20', head, `${head}\r\n`, `${head}\r\n{"code"`].flatMap((sent, index) => [
    endless(raw(`silence at moment ${index}`, timeout, sent)),
    raw(`closed at moment ${index}`, reset, sent, 'end'),
    raw(`reset at moment ${index}`, reset, sent, 'reset'),
  ]),
  drip('a head that drips', 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'),
  drip('a body that drips', ok(long), ' '),
  drip('chunks that drip', ok(chunked), '1\r\n \r\n'),
  atOnce('closed at once', reset, ({ socket }) => socket.destroy()),
  atOnce('reset at the first byte', reset, (line) => line.socket.once('data', () => cut(line))),
  raw('closed after the request', reset, '', 'end'),
  raw('closed behind the answer', accepted, (right) => message(right), 'end'),
  { name: 'byte by byte', ending: accepted, serve: byteByByte },
  { ...atOnce('a response before the request', { exit: 'any' }, sent(early)), endless: true },
];

const behindTls = (response: Response): Response => {
  return { ...response, scheme: 'https', speaks: 'https', argv: ['--insecure'] };
};
const overTcp = (response: Response): Response => {
  return { ...response, scheme: 'https', speaks: 'http' };
};
/** TLS where plain HTTP is expected, the reverse, and faults behind a handshake. */
const tls: readonly Response[] = [
  overTcp(
    atOnce('plain HTTP where TLS is meant', broken, (line) =>
      line.socket.once('data', () => line.send(message('', { status: 'HTTP/1.1 400 Bad' }))),
    ),
  ),
  // The check of what it speaks has half a second: a machine that is too busy for it sees a reset.
  { ...raw('TLS where plain HTTP is meant', { exit: 3 }, ''), speaks: 'https' },
  { ...behindTls(body('a certificate that nobody signed', lost('tls-untrusted'), '{}')), argv: [] },
  behindTls(body('the right answer, unverified', accepted, (right) => right)),
  behindTls(raw('closed behind the handshake', reset, '', 'end')),
  behindTls(endless(raw('silence behind the handshake', timeout, ''))),
  overTcp(atOnce('closed before the handshake', reset, ({ socket }) => socket.destroy())),
  overTcp(endless(atOnce('silence instead of a handshake', timeout, () => {}))),
  overTcp(atOnce('noise instead of a handshake', broken, sent(noise))),
];

/** Characters that move a cursor, colour, ring, retitle, reorder or hide. */
const controls: Row<string> = [
  ['a clear screen', '\u001b[2J\u001b[H'],
  ['a window title', '\u001b]0;owned\u0007'],
  ['a carriage return', 'safe\revil'],
  ['a NUL, BEL and DEL', '\u0000\u0007\u007f'],
  ['a reversed reading', '\u202etxt.exe\u202c'],
  ['separators', 'safe\u2028evil\u2029'],
  ['lone surrogates', '\ud800x\udc00'],
  ['tags and variation', '\u{e0041}\u{e007f}\ufe0f'],
];

type Edit = (right: r.RightResponse, text: string) => unknown;
const inField =
  (name: string): Edit =>
  (right, text) =>
    name in right.result ? { ...right, result: { ...right.result, [name]: text } } : right;

const inAll: Edit = ({ result, ...right }, text) => {
  const fields = Object.keys(result).map((name) => [name, text]);
  return { ...right, result: Object.fromEntries(fields) };
};

/** Where such text may be: what it does to the response, and how a command then ends. */
const places: readonly (readonly [place: string, r.Ending, Edit])[] = [
  ['the message of success', accepted, (right, text) => ({ ...right, message: text })],
  ['code', wrong('code-not-success'), (right, text) => ({ ...right, code: text })],
  ['a refusal', wrong('code-not-success'), (_, text) => ({ code: '4001', message: text })],
  ['an unknown field', accepted, (right, text) => ({ ...right, [`x${text}`]: text, note: [text] })],
  ['ptn_cd', { exit: 'any' }, inField('ptn_cd')],
  ['every field of the result', { exit: 1 }, inAll],
];

/** What RFC 9110 5.5 lets a header carry: Latin-1 with its 8-bit controls. */
const inHeads = ['\u009b2J\u009d0;owned\u009c\u0085', '\u00e2\u0080\u00ae\u00c2\u009b31m'];

/** Terminal escapes and bidirectional controls in everything that a peer can say. */
const controlTexts: readonly Response[] = [
  ...controls.flatMap(([name, text]) =>
    places.map(([place, ending, edit]) =>
      body(`${name} in ${place}`, ending, (_, right) => JSON.stringify(edit(right, text))),
    ),
  ),
  ...inHeads.flatMap((text) => [
    ...['x-note: ', 'content-type: ', 'date: ', 'allow: '].map((start) =>
      header(`controls in ${start}`, `${start}${text}`, accepted),
    ),
    header('controls in content-encoding', `content-encoding: ${text}`, notJson),
    status('HTTP/1.1 302 Found', redirect, `location: /${text}`),
    status(`HTTP/1.1 200 ${text}`, accepted),
    status(`HTTP/1.1 500 ${text}`, accepted),
  ]),
  body('escapes in a page', page, '<title>\u001b[31m\u202eLogin</title><h1>\u009b2J</h1>'),
];

export const responses: readonly Response[] = [
  ...bodies,
  ...encodings,
  ...framing,
  ...heads,
  ...statuses,
  ...moments,
  ...tls,
  ...controlTexts,
];
