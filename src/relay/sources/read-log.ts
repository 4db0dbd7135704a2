import type { CapturedExchange } from '../capture.ts';
import { textOfLine } from './lines.ts';
import { beginsAnew, LogReader, logMarker } from './log.ts';

const lineFeed = 0x0a;
const longestLine = 4 * 1024 * 1024;
/** Lines that are left for the next part, as what they begin may go on there. */
const mostKeptLines = 1000;

/**
 * The exchanges of a log, in constant memory. Lines with a field of the interface are read, and those around
 * them that may belong to the same text; all others are only searched for a field.
 * @param note is called with what was left out, as a sentence
 */
export async function* readLog(
  chunks: AsyncIterable<Uint8Array>,
  note: (text: string) => void,
): AsyncGenerator<CapturedExchange> {
  const log = new LogReader();
  const lines = new MarkedLines(log);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (rest.length >= longestLine && !chunk.includes(lineFeed)) continue;
    const joined = Buffer.concat([rest, chunk]);
    const end = endOfPart(joined);
    yield* lines.read(joined.subarray(0, end));
    rest = joined.subarray(end, end + longestLine);
  }
  yield* lines.read(rest);
  yield* log.end();
  for (const text of log.notes) note(text);
}

/** In a line that a container engine split, the two halves of a field's name may be in two lines. */
const splitLine = /std(?:out|err) P |[^n]","stream":"/;

/** Hands the lines of one part after another to `log`, where they matter. */
class MarkedLines {
  readonly #log: LogReader;
  readonly #marker = new RegExp(`${logMarker.source}|${splitLine.source}`, 'g');
  #number = 1;

  constructor(log: LogReader) {
    this.#log = log;
  }

  /** Takes the next whole lines of the log. */
  *read(part: Buffer): Generator<CapturedExchange> {
    const text = part.toString('latin1'); // a character a byte
    let marked = -1;
    for (let at = 0; at < part.length; this.#number += 1) {
      if (at > marked && !this.#log.isOpen) {
        this.#marker.lastIndex = at;
        marked = this.#marker.exec(text)?.index ?? part.length;
        const start = marked === part.length ? marked : startOfText(part, marked, at);
        this.#number += countLines(part.subarray(at, start));
        at = start;
        if (at === part.length) return;
      }
      const end = endOfLine(part, at);
      yield* this.#log.line(lineAt(part, at), this.#number);
      at = end + 1;
    }
  }
}

/** The end of the lines that can be read without the next chunk: what comes after it begins anew. */
function endOfPart(bytes: Buffer): number {
  const end = bytes.lastIndexOf(lineFeed) + 1;
  const start = end === 0 ? 0 : startOfText(bytes, end - 1, 0, mostKeptLines);
  return bytes.length - start > longestLine ? end : start;
}

/** The start of the last line up to that of `at` that begins anew, not before `from`, which is the start of a line. */
function startOfText(bytes: Buffer, at: number, from: number, mostLines = Infinity): number {
  let start = startOfLine(bytes, at);
  for (let count = 1; start > from && count < mostLines; count += 1) {
    const before = startOfLine(bytes, start - 1);
    if (beginsAnew(lineAt(bytes, start), lineAt(bytes, before))) break;
    start = before;
  }
  return start;
}

/** The start of the line that contains `at`, its line feed included. */
function startOfLine(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(lineFeed, at - 1) + 1;
}

function endOfLine(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(lineFeed, start);
  return end === -1 ? bytes.length : end;
}

function lineAt(bytes: Buffer, start: number): string {
  return textOfLine({ bytes: bytes.subarray(start, endOfLine(bytes, start)) }).replace(/\r$/, '');
}

function countLines(part: Buffer): number {
  let count = 0;
  for (let at = part.indexOf(lineFeed); at !== -1; at = part.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}
