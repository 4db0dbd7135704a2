import { decodeUtf8 } from '../bytes.ts';

/** Ways in which bytes are no UTF-8 text, though a peer may have meant JSON. */
export type BodyEncoding = 'utf-16' | 'utf-32' | 'compressed' | 'invalid-utf-8';

/** What the bytes are instead of UTF-8 text, how it shows, and their text where it can be read. */
export interface EncodingFinding {
  readonly reason: BodyEncoding;
  readonly detail: string;
  readonly text?: string;
}

/** A longer text than this is not decoded for showing. */
const maxShownBytes = 64 * 1024;

const magics: readonly { readonly name: string; readonly bytes: readonly number[] }[] = [
  { name: 'gzip', bytes: [0x1f, 0x8b] }, // RFC 1952 2.3.1
  { name: 'zstd', bytes: [0x28, 0xb5, 0x2f, 0xfd] }, // RFC 8878 3.1.1
  { name: 'deflate', bytes: [0x78, 0x01] }, // RFC 1950 2.2: CMF 0x78, FLG by level
  { name: 'deflate', bytes: [0x78, 0x5e] },
  { name: 'deflate', bytes: [0x78, 0x9c] },
  { name: 'deflate', bytes: [0x78, 0xda] },
];

/** Says what bytes are that a UTF-8 reader of JSON can't take; undefined for UTF-8 text. */
export function encodingOf(body: Uint8Array): EncodingFinding | undefined {
  return wideEncoding(body) ?? narrowEncoding(body);
}

/**
 * UTF-32 and UTF-16, by mark or by the zeros that ASCII leaves in them (RFC 4627 section 3: the
 * first two characters of a JSON text are ASCII).
 */
function wideEncoding(body: Uint8Array): EncodingFinding | undefined {
  const head = Buffer.from(body.subarray(0, 4)).toString('hex').padEnd(8, 'x');
  if (
    /^(?:0000feff|fffe0000|000000[\da-f]{2}|[\da-f]{2}000000)$/.test(head) &&
    !/^0{8}/.test(head)
  ) {
    return { reason: 'utf-32', detail: head.startsWith('00') ? 'UTF-32BE' : 'UTF-32LE' };
  }
  const mark = /^(?:feff|fffe)/.test(head);
  const bigEndian = head.startsWith('feff') || /^00(?!00)..00(?!00)/.test(head);
  const littleEndian = head.startsWith('fffe') || /^(?!00)..00(?!00)..00/.test(head);
  if (!bigEndian && !littleEndian) return undefined;
  const text = decodeUtf16(body, bigEndian);
  const name = bigEndian ? 'UTF-16BE' : 'UTF-16LE';
  return { reason: 'utf-16', detail: mark ? `${name} with a byte order mark` : name, text };
}

function narrowEncoding(body: Uint8Array): EncodingFinding | undefined {
  if (decodeUtf8(body) !== undefined) return undefined;
  const magic = magics.find(({ bytes }) => bytes.every((byte, index) => body[index] === byte));
  if (magic !== undefined) return { reason: 'compressed', detail: magic.name };
  const text = Buffer.from(body.subarray(0, maxShownBytes)).toString('utf8');
  return { reason: 'invalid-utf-8', detail: firstBadByte(body), text };
}

function decodeUtf16(body: Uint8Array, bigEndian: boolean): string {
  const bytes = Buffer.from(body.subarray(0, Math.min(body.length & ~1, maxShownBytes)));
  const text = (bigEndian ? bytes.swap16() : bytes).toString('utf16le');
  return text.replace(/^\ufeff/, '');
}

/** Where UTF-8 first breaks, found by halving: a prefix that decodes as a stream is still right. */
function firstBadByte(body: Uint8Array): string {
  let good = 0;
  let bad = body.length;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (isUtf8Prefix(body.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  // The sequence that can't go on began up to three bytes before.
  while (good > 0 && decodeUtf8(body.subarray(0, good)) === undefined) good -= 1;
  const byte = body[good] ?? 0;
  return `byte 0x${byte.toString(16).padStart(2, '0')} at offset ${good}`;
}

function isUtf8Prefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
