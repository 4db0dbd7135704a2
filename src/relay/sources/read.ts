import type { CapturedExchange } from '../capture.ts';
import { isRecordingHeader, readRecording } from '../recording.ts';
import { isHarHead, readHar } from './har.ts';
import { linesOf } from './lines.ts';
import { readLog } from './read-log.ts';
import { textBytes, withHead } from './text-bytes.ts';

export interface ReadOptions {
  /** What was left out, as a sentence. */
  readonly note: (text: string) => void;
}

/** An archive is read as a whole; longer ones are read as a log, object by object. */
const longestHar = 512 * 1024 * 1024;
const headBytes = 4096;

/**
 * The exchanges of a file, whatever wrote it: a recording, an HTTP archive, or a log with bodies in
 * JSON, also packed with gzip or in UTF-16. Logs and recordings are read in constant memory.
 * @throws AuthcliError `usage` for a recording of another version, and for what can't be unpacked
 */
export async function* readTraffic(
  chunks: AsyncIterable<Uint8Array>,
  { note }: ReadOptions,
): AsyncGenerator<CapturedExchange> {
  const { head: start, all } = await withHead(textBytes(chunks), headBytes);
  const head = start.toString('utf8');
  if (isRecordingHeader(head)) yield* readRecording(linesOf(all), note);
  else if (isHarHead(head)) yield* readHar(await textOf(all));
  else yield* readLog(all, note);
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
