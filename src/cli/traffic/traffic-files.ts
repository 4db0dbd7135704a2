import { createReadStream, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { hasCode } from '../../errors.ts';
import { counted } from '../../text.ts';
import { type CapturedExchange, secretsOf } from '../../traffic/capture.ts';
import { readTraffic } from '../../traffic/sources/read.ts';
import { archiveLimit, drain, refuseManyValues, unreadable } from '../args/input.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';

/**
 * The exchanges of files, one after another; the secrets that they contain are hidden from then on.
 * @throws AuthcliError `usage`, naming the file, for one that can't be read
 */
export async function* exchangesOf(
  paths: readonly string[],
  session: Session,
): AsyncGenerator<CapturedExchange> {
  let count = 0;
  for (const path of paths) {
    for await (const exchange of exchangesIn(path, session)) {
      // signals and cancelled calls are noticed then
      if (count % 16 === 0) await setImmediate();
      count += 1;
      for (const secret of secretsOf(exchange)) session.secrets.addFromPeer(secret);
      const source = paths.length > 1 ? `${path} ${exchange.source}` : exchange.source;
      yield { ...exchange, source };
    }
  }
}

/** The error for files without traffic of this interface, which may contain `others`. */
export function nothingFound(paths: readonly string[], others = 0): Error {
  const names = paths.map(nameOf).join(', ');
  const seen = others === 0 ? '' : ` It contains ${counted(others, 'exchange')} of something else.`;
  return usage(
    `No traffic of this interface was found in ${names}.${seen}`,
    'Capture the callbacks or the calls of a sign-in, with their bodies: `authcli relay --record FILE`, an HTTP archive, or a log of the JSON bodies.',
  );
}

function nameOf(path: string): string {
  return path === '-' ? 'standard input' : path;
}

async function* exchangesIn(path: string, session: Session): AsyncGenerator<CapturedExchange> {
  const { context } = session;
  const name = nameOf(path);
  const progress = session.progress(`Reading ${name}`);
  let read = 0;
  progress.update(() => `Reading ${name}: ${Math.round(read / 1_000_000)} MB`);
  async function* counting(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      read += chunk.length;
      yield chunk;
    }
  }
  try {
    const chunks =
      path === '-'
        ? context.stdin.chunks()
        : createReadStream(streamable(resolve(context.cwd, path)), { highWaterMark: chunkBytes });
    const whole = async (archive: AsyncIterable<Uint8Array>) => {
      const what = 'the unpacked archive';
      const bytes = await drain(archive, what, archiveLimit);
      refuseManyValues(bytes, what, archiveLimit);
      return bytes;
    };
    yield* readTraffic(counting(chunks), { note: (text) => session.note(text), whole });
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreadable(name, error);
    if (!hasCode(error, 'usage')) throw error;
    throw usage(`${name}: ${error.message}`, error.hint);
  } finally {
    progress.stop();
  }
}

/** The path of a file or of a pipe; a device may have no end. */
function streamable(file: string): string {
  const stat = statSync(file);
  if (!(stat.isCharacterDevice() || stat.isBlockDevice()) || file === devNull) return file;
  throw usage('it is a device, not a file.', 'Give a file, or "-" for standard input.');
}

const chunkBytes = 1 << 20;
