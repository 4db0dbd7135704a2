import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream';
import zlib, { constants, createGunzip } from 'node:zlib';
import { encodeHex, utf16Of } from '../../bytes.ts';
import { AuthcliError } from '../../errors.ts';
import { isJsonObject, type JsonObject, parseJsonText } from '../../protocol/json.ts';
import type { CapturedExchange } from '../capture.ts';
import { isRecordingHeader, readRecording } from '../recording.ts';
import { isArchiveHead, readHar } from './har.ts';
import { linesOf } from './lines.ts';
import { readLog } from './log.ts';

export interface ReadOptions {
  /** What was left out, as a sentence. */
  readonly note: (text: string) => void;
  /** The bytes of an archive, which is read as a whole; throws for too many. */
  readonly whole: (chunks: AsyncIterable<Uint8Array>) => Promise<Uint8Array>;
}

const headBytes = 4096;

/**
 * The exchanges of a file, whatever wrote it: a recording, an HTTP archive, a session of Charles, or a log, also packed
 * with gzip or zstd, or in UTF-16. Logs and recordings are read in constant memory.
 * @throws AuthcliError `usage` for a recording of another version, and for what can't be unpacked
 */
export async function* readTraffic(
  chunks: AsyncIterable<Uint8Array>,
  { note, whole }: ReadOptions,
): AsyncGenerator<CapturedExchange> {
  const { head: start, all } = await withHead(textBytes(chunks), headBytes);
  const head = start.toString('utf8');
  if (isRecordingHeader(head)) yield* readRecording(linesOf(all), note);
  else if (isArchiveHead(head)) yield* readHar(Buffer.from(await whole(all)).toString('utf8'));
  else if (isExportHead(head)) yield* readLog(exportedLines(await whole(all)), note);
  else yield* readLog(all, note);
}

/** Whether the beginning is that of a JSON with the lines of a log: of CloudWatch, or of Loki. */
function isExportHead(head: string): boolean {
  return /^\s*\{\s*"(?:events"\s*:\s*\[|status"\s*:\s*"success"\s*,\s*"data"\s*:)/.test(head);
}

/** The lines of such an export with their times in front; of any other JSON all of it. */
async function* exportedLines(bytes: Uint8Array): AsyncGenerator<Buffer> {
  const root = Object(parseJsonText(Buffer.from(bytes).toString('utf8')));
  const streams: unknown = root.data?.result;
  const events: readonly JsonObject[] = Array.isArray(root.events)
    ? root.events.filter(isJsonObject)
    : [];
  const ofLoki = Array.isArray(streams) ? streams.flatMap((stream) => Object(stream).values) : [];
  const entries: readonly (readonly unknown[])[] = [
    ...events.map(({ timestamp, message }) => [timestamp, message]),
    ...ofLoki.filter(Array.isArray).map(([nanoseconds, line]) => [Number(nanoseconds) / 1e6, line]),
  ];
  if (entries.length === 0) yield Buffer.from(bytes);
  for (const [at, text] of entries) {
    const time = new Date(Number(at));
    const start = Number.isNaN(time.getTime()) ? '' : `${time.toISOString()} `;
    for (const line of String(text).split('\n')) yield Buffer.from(`${start}${line}\n`);
  }
}

/** Reads on until there are `size` bytes, or everything is read: those, and all of them. */
export async function withHead(chunks: AsyncIterable<Uint8Array>, size: number) {
  const reader = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (let length = 0; length < size; ) {
    const { done, value } = await reader.next();
    if (done) break;
    first.push(value);
    length += value.length;
  }
  const head = Buffer.concat(first).subarray(0, size);
  return { head, all: joined(first, { [Symbol.asyncIterator]: () => reader }) };
}

async function* joined(
  first: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* first;
  yield* rest;
}

/** What another program has to convert, by the first bytes in hexadecimal. */
const unread: readonly (readonly [what: string, start: RegExp, fix: string])[] = [
  ['It is compressed with xz', /^fd377a585a00/, 'Unpack it: `xz -d FILE`.'],
  ['It is compressed with zstd', /^28b52ffd/, 'Unpack it: `zstd -d FILE`.'],
  ['It is compressed with bzip2', /^425a683[1-9]/, 'Unpack it: `bzip2 -d FILE`.'],
  [
    'It is an archive of Fiddler (.saz)',
    // the name of its first file: raw/, _index.htm or [Content_Types].xml
    /^504b0304.{52}(?:7261772f|5f696e646578|5b436f6e74656e74)/,
    'Open it in Fiddler, and export all sessions as HTTPArchive: that .har is read.',
  ],
  ['It is compressed with zip', /^504b0304/, 'Unpack it: `unzip FILE`.'],
  [
    'It is a file of flows of mitmproxy',
    // a tagged netstring: its length, and the length and name of the first field
    /^(?:3\d){1,9}3a(?:3\d){1,2}3a(?:[67][\da-f]|5f){2,}(?:3b|2c)/,
    'Convert it: `mitmdump -nr FILE --set hardump=out.har`.',
  ],
];
/** Node 22.15 and later have it. */
const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: () => Transform };

/** As many as tell what it is by its beginning. */
const markBytes = 48;

/**
 * What was captured, as UTF-8: gzip (RFC 1952) and, where Node can, zstd (RFC 8878) are unpacked, up to where it was
 * cut off, and UTF-16 that begins with a byte order mark, as Windows PowerShell writes it, is decoded.
 * @throws AuthcliError `usage` for another compression, and for damaged gzip
 */
export async function* textBytes(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { head, all } = await withHead(chunks, markBytes);
  const start = encodeHex(head);
  if (start.startsWith('1f8b')) {
    // without an error at the end of a file that is still written
    const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: unzippedBytes });
    return yield* asUtf8(unpacked(all, 'gzip', gunzip));
  }
  if (start.startsWith('28b52ffd') && createZstdDecompress)
    return yield* asUtf8(unpacked(all, 'zstd', createZstdDecompress()));
  yield* asUtf8(all);
}

const unzippedBytes = 1 << 20;

async function* unpacked(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  unpack: Transform,
): AsyncGenerator<Uint8Array> {
  // an error of either end comes out of the iteration
  pipeline(chunks, unpack, () => {});
  try {
    yield* unpack;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!/^(?:Z_|ZSTD_|ERR_ZLIB)/.test(code)) throw error;
    throw new AuthcliError('usage', `The ${name} data is damaged: ${(error as Error).message}.`, {
      hint: `Copy the file again, or read what comes before the damage: \`${name === 'gzip' ? 'zcat' : 'zstdcat'} FILE > app.log\`.`,
    });
  }
}

async function* asUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { head, all } = await withHead(chunks, markBytes);
  const start = encodeHex(head);
  const [what, , fix] = unread.find(([, magic]) => magic.test(start)) ?? [];
  if (what !== undefined)
    throw new AuthcliError('usage', `${what}, which is not read.`, { hint: fix });
  const encoding = utf16Of(head);
  // every log and every JSON begins in ASCII: other bytes only begin like a mark
  if (!encoding || !/^\p{ASCII}{2}/u.test(new TextDecoder(encoding).decode(head)))
    return yield* all;
  const decoder = new TextDecoder(encoding);
  for await (const chunk of all) yield Buffer.from(decoder.decode(chunk, { stream: true }));
}
