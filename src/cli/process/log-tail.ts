import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

/** The rest of a longer line is dropped. */
const mostCharacters = 8192;
/** Older lines are dropped. */
const mostLines = 5000;
/** More is skipped of what was appended to a file. */
const mostBytes = 1024 * 1024;
/** Lines of one report come at shorter intervals. */
const quietMs = 20;
/** How long a log is waited for that goes on and on. */
const busyMs = 500;

/** What an application logs, line by line, as it comes: over streams, or in a file from where that ended. */
export class LogTail {
  #lines: string[] = [];
  #dropped = 0;
  #file: FollowedFile | undefined;
  #reading: Promise<void> = Promise.resolve();

  /** The number of lines that have come. */
  get position(): number {
    return this.#dropped + this.#lines.length;
  }

  /** The lines that have come since. */
  since(position: number): readonly string[] {
    return this.#lines.slice(Math.max(0, position - this.#dropped));
  }

  /** Takes the bytes of one stream, or file. */
  reader(): (chunk: Uint8Array) => void {
    const decoder = new TextDecoder();
    let rest = '';
    return (chunk) => {
      const lines = decoder.decode(chunk, { stream: true }).split('\n');
      lines[0] = rest + lines[0];
      rest = (lines.pop() ?? '').slice(0, mostCharacters);
      for (const line of lines)
        this.#lines.push(stripVTControlCharacters(line.slice(0, mostCharacters)).trimEnd());
      if (this.#lines.length <= 2 * mostLines) return;
      this.#dropped += this.#lines.length - mostLines;
      this.#lines = this.#lines.slice(-mostLines);
    };
  }

  /** Follows a file, which may be new, cut off or replaced later; what is in it already is passed over. */
  async follow(path: string): Promise<void> {
    const file = { path, take: this.reader(), ino: 0, at: 0 };
    await readOn(file, true);
    this.#file = file;
  }

  /** Takes what has been written meanwhile. One after another: each begins where the one before ended. */
  read(): Promise<void> {
    const file = this.#file;
    if (file !== undefined) this.#reading = this.#reading.then(() => readOn(file)).catch(() => {});
    return this.#reading;
  }

  /** Waits until no more lines come, and for the first one since `position` at most as long. */
  async settle(position: number, mostMs: number): Promise<void> {
    const startedAt = performance.now();
    for (let before = -1; ; ) {
      await this.read();
      const waitedMs = performance.now() - startedAt;
      const isQuiet = before === this.position;
      if ((isQuiet && (before > position || waitedMs >= mostMs)) || waitedMs > mostMs + busyMs)
        return;
      before = this.position;
      await delay(quietMs);
    }
  }
}

interface FollowedFile {
  readonly path: string;
  readonly take: (chunk: Uint8Array) => void;
  ino: number;
  at: number;
}

/** Reads from where the last reading ended, or at first from the end; a new file from its beginning. */
async function readOn(file: FollowedFile, isFirst = false): Promise<void> {
  const handle = await open(file.path, constants.O_RDONLY).catch(ifMissing);
  if (handle === undefined) return;
  try {
    const { size, ino } = await handle.stat();
    if (ino !== file.ino || size < file.at) file.at = 0;
    file.ino = ino;
    file.at = Math.max(isFirst ? size : file.at, size - mostBytes);
    const chunk = Buffer.alloc(size - file.at);
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, file.at);
    file.at += bytesRead;
    file.take(chunk.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
