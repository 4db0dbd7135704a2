import type { CapturedExchange } from '../capture.ts';
import { isRecordingHeader, readRecording } from '../recording.ts';
import { isHarHead, readHar } from './har.ts';
import { linesOf, textOfLine } from './lines.ts';
import { LogReader, logMarker } from './log.ts';

export interface ReadOptions {
  /** What was left out, as a sentence. */
  readonly note: (text: string) => void;
}

/** An archive is read as a whole; longer ones are read as a log, object by object. */
const longestHar = 512 * 1024 * 1024;
const headBytes = 4096;

/**
 * The exchanges of a file, whatever wrote it: a recording, an HTTP archive, or a log with bodies in
 * JSON. Logs and recordings are read in constant memory.
 * @throws AuthcliError `usage` for a recording of another version
 */
export async function* readTraffic(
  chunks: AsyncIterable<Uint8Array>,
  { note }: ReadOptions,
): AsyncGenerator<CapturedExchange> {
  const reader = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (let size = 0; size < headBytes; ) {
    const { done, value } = await reader.next();
    if (done) break;
    first.push(value);
    size += value.length;
  }
  const all = withFirst(first, { [Symbol.asyncIterator]: () => reader });
  const head = Buffer.concat(first).subarray(0, headBytes).toString('utf8');
  if (isRecordingHeader(head)) yield* readRecording(linesOf(all), note);
  else if (isHarHead(head)) yield* readHar(await textOf(all));
  else yield* readLog(all, note);
}

async function* withFirst(
  first: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* first;
  yield* rest;
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of chunks) {
    size += part.length;
    if (size > longestHar) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Lines before a part that is read closely: a body that is printed over several may begin in them. */
const linesBefore = 64;
const smallPart = 64 * 1024;
const longestLine = 4 * 1024 * 1024;
const lineFeed = 0x0a;

/** Parts of a log without a field of the interface are only searched for one. */
async function* readLog(
  chunks: AsyncIterable<Uint8Array>,
  note: (text: string) => void,
): AsyncGenerator<CapturedExchange> {
  const log = new LogReader();
  let number = 1;
  let rest: Buffer = Buffer.alloc(0);
  let before: Buffer = Buffer.alloc(0);
  let isClose = false;
  const lines = function* (part: Buffer, from: number): Generator<CapturedExchange> {
    let line = from;
    for (let start = 0; start < part.length; line += 1) {
      const found = part.indexOf(lineFeed, start);
      const end = found === -1 ? part.length : found;
      yield* log.line(textOfLine({ bytes: part.subarray(start, end) }).replace(/\r$/, ''), line);
      start = end + 1;
    }
  };
  for await (const chunk of chunks) {
    if (rest.length >= longestLine && !chunk.includes(lineFeed)) continue;
    const joined = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    const end = joined.lastIndexOf(lineFeed) + 1;
    rest = joined.subarray(end);
    if (rest.length > longestLine) rest = rest.subarray(0, longestLine);
    if (end === 0) continue;
    const part = joined.subarray(0, end);
    const wasClose = isClose;
    const isMarked = logMarker.test(part.toString('latin1'));
    if (isMarked && !isClose) yield* lines(before, number - countLines(before));
    if (isMarked || isClose) yield* lines(part, number);
    isClose = (isMarked || isClose) && log.isOpen;
    number += countLines(part);
    before = isMarked || wasClose ? Buffer.alloc(0) : lastLines(withBefore(before, part));
  }
  if (!isClose) yield* lines(before, number - countLines(before));
  yield* lines(rest, number);
  yield* log.end();
  if (log.unreadable > 0) {
    note(
      `${log.unreadable} texts in braces that contain field names of the interface are not JSON; they were left out.`,
    );
  }
}

/** Where parts are small, the lines before one are in several. */
function withBefore(before: Buffer, part: Buffer): Buffer {
  return part.length > smallPart ? part : Buffer.concat([before, part]);
}

function countLines(part: Buffer): number {
  let count = 0;
  for (let at = part.indexOf(lineFeed); at !== -1; at = part.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}

function lastLines(part: Buffer): Buffer {
  let start = part.length - 1;
  for (let count = 0; count < linesBefore && start > 0; count += 1) {
    start = part.lastIndexOf(lineFeed, start - 1);
    if (start === -1) return part;
  }
  return part.subarray(start + 1);
}
