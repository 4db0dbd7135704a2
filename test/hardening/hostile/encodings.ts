import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { accepted, body, type HostileResponse, wrong } from './response.ts';

const notJson = wrong('not-json');
const tooLarge = wrong('body-too-large');
const bytes = (...values: number[]) => Uint8Array.from(values);
const json = 'content-type: application/json';
const encoded = (coding: string) => [json, `content-encoding: ${coding}`];

/** The right answer with bytes put into its message. */
function withBytes(right: string, inserted: Uint8Array): Uint8Array {
  const [before = '', behind = ''] = right.split('OK');
  return Buffer.concat([Buffer.from(before), inserted, Buffer.from(behind)]);
}

const zeros = Buffer.alloc(100 * 1024 * 1024);
const bomb = {
  gzip: gzipSync(zeros),
  deflate: deflateSync(zeros),
  br: brotliCompressSync(zeros.subarray(0, 2 ** 25)),
};

function nested(text: string, layers: number): Uint8Array {
  let inner: Uint8Array = Buffer.from(text);
  for (let layer = 0; layer < layers; layer += 1) inner = gzipSync(inner);
  return inner;
}

/** Bodies that are not UTF-8, or not what their Content-Encoding says. */
export const encodings: readonly HostileResponse[] = [
  ...Object.entries({
    'a byte that UTF-8 has not': bytes(0xff),
    'an overlong NUL': bytes(0xc0, 0x80),
    'an overlong solidus': bytes(0xe0, 0x80, 0xaf),
    'a surrogate as UTF-8': bytes(0xed, 0xa0, 0x80),
    'a pair of surrogates as UTF-8 (CESU-8)': bytes(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80),
    'a character beyond Unicode': bytes(0xf4, 0x90, 0x80, 0x80),
    'a sequence cut short': bytes(0xe2, 0x82),
    'Latin-1': bytes(0xe9, 0x74, 0xe9),
    'EUC-KR': bytes(0xb0, 0xa1, 0xb3, 0xaa),
    Shift_JIS: bytes(0x93, 0xfa, 0x96, 0x7b),
  }).map(([name, inserted]) => body(name, notJson, (right) => withBytes(right, inserted))),
  body('a sequence cut short at the end', notJson, (right) =>
    Buffer.concat([Buffer.from(right), bytes(0xe2)]),
  ),
  body('a NUL in a string', notJson, (right) => withBytes(right, bytes(0))),
  body('a NUL behind the answer', notJson, (right) => `${right}\0`),
  body('NULs alone', wrong('empty-body'), '\0'.repeat(5000)),
  body(
    'noise for a body',
    notJson,
    Uint8Array.from({ length: 4096 }, (_, index) => (index * 193 + 71) % 256),
  ),
  body('UTF-16, little endian', notJson, (right) => Buffer.from(right, 'utf16le')),
  body('UTF-16, big endian', notJson, (right) => Buffer.from(right, 'utf16le').swap16()),
  body('UTF-16 with a mark', notJson, (right) => Buffer.from(`\ufeff${right}`, 'utf16le')),
  body('UTF-16 of an odd number of bytes', notJson, (right) =>
    Buffer.from(right, 'utf16le').subarray(0, -1),
  ),
  body('UTF-32', notJson, (right) =>
    Buffer.from([...right].flatMap((c) => [c.charCodeAt(0), 0, 0, 0])),
  ),
  body('UTF-7', notJson, '+AHsAIg-code+ACIAOg-'),
  body('a byte order mark', accepted, (right) => `\ufeff${right}`),
  body('two byte order marks', notJson, (right) => `\ufeff\ufeff${right}`),
  body('a byte order mark alone', wrong('empty-body'), '\ufeff'),
  body('lone surrogates in escapes', accepted, (right) =>
    right.replace('OK', '\\ud83d and \\udc00'),
  ),
  body('a lone surrogate in a name', accepted, (right) => `{"\\udfff":"\\ud800",${right.slice(1)}`),
  body('gzip', accepted, (right) => gzipSync(right), encoded('gzip')),
  body('gzip twice', accepted, (right) => nested(right, 2), encoded('gzip, gzip')),
  body(
    'gzip a hundred times',
    notJson,
    (right) => nested(right, 100),
    encoded(Array.from({ length: 100 }, () => 'gzip').join()),
  ),
  body('bare deflate', accepted, (right) => deflateRawSync(right), encoded('deflate')),
  body(
    'several members of gzip',
    accepted,
    (right) => Buffer.concat([gzipSync(right.slice(0, 9)), gzipSync(right.slice(9))]),
    encoded('gzip'),
  ),
  body('a gzip bomb of 100 MB', tooLarge, bomb.gzip, encoded('gzip')),
  body('a deflate bomb of 100 MB', tooLarge, bomb.deflate, encoded('deflate')),
  body('a br bomb of 32 MB', tooLarge, bomb.br, encoded('br')),
  body('a bomb in a bomb', tooLarge, gzipSync(bomb.gzip), encoded('gzip, gzip')),
  body('a bomb of br in gzip', tooLarge, gzipSync(bomb.br), encoded('br, gzip')),
  body(
    'a bomb of many members',
    tooLarge,
    Buffer.concat(Array.from({ length: 2000 }, () => gzipSync(zeros.subarray(0, 2 ** 16)))),
    encoded('gzip'),
  ),
  body('a bomb under no name', notJson, bomb.gzip),
  body('gzip cut short', notJson, (right) => gzipSync(right).subarray(0, -12), encoded('gzip')),
  body(
    'gzip with a wrong checksum',
    notJson,
    (right) => Buffer.concat([gzipSync(right).subarray(0, -8), bytes(0, 0, 0, 0, 0, 0, 0, 0)]),
    encoded('gzip'),
  ),
  body(
    'br cut short',
    notJson,
    (right) => brotliCompressSync(right).subarray(0, -4),
    encoded('br'),
  ),
  body('deflate of noise', notJson, bytes(0x78, 0x9c, 1, 2, 3, 4, 5, 6), encoded('deflate')),
  body('gzip that is plain', notJson, (right) => right, encoded('gzip')),
  body('gzip of nothing', wrong('empty-body'), gzipSync(''), encoded('gzip')),
  body('an encoding of nothing', wrong('empty-body'), '', encoded('br')),
  body('zstd', notJson, bytes(0x28, 0xb5, 0x2f, 0xfd, 0, 1, 2, 3), encoded('zstd')),
  body('an encoding that nobody has', notJson, (right) => right, encoded('x'.repeat(5000))),
  body('identity, and commas', accepted, (right) => right, encoded(',, identity ,,')),
];
