import { isUtf8 } from 'node:buffer';

/** A line of a file, without its line end. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly bytes: Buffer;
  /** Its line end was read: it isn't the end of a file that was cut off. */
  readonly isEnded: boolean;
  /** `bytes` is only its beginning. */
  readonly isCut: boolean;
}

/** The most bytes of one line: more than two bodies of an exchange take, escaped three times. */
export const maxLineBytes = 16 * 1024 * 1024;

const lineFeed = 0x0a;

/** The lines of a stream of bytes, in constant memory: of a longer line than `maxBytes` the beginning. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes = maxLineBytes,
): AsyncGenerator<Line> {
  let number = 1;
  let parts: Uint8Array[] = [];
  let length = 0;
  let isCut = false;
  const keep = (part: Uint8Array) => {
    const kept = part.subarray(0, maxBytes - length);
    isCut ||= kept.length < part.length;
    length += kept.length;
    if (kept.length > 0) parts.push(kept);
  };
  const take = (isEnded: boolean): Line => {
    const bytes = Buffer.concat(parts);
    const line = {
      number,
      bytes: bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes,
      isEnded,
      isCut,
    };
    number += 1;
    parts = [];
    length = 0;
    isCut = false;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      keep(chunk.subarray(start, end));
      yield take(true);
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  if (parts.length > 0) yield take(false);
}

/** The text of a line; bytes that are not UTF-8 are read as Latin-1, so that what is ASCII in them stays. */
export function textOfLine({ bytes }: Pick<Line, 'bytes'>): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}
