import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
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

  /** Follows a file, which may be new, cut off or replaced later. */
  async follow(path: string): Promise<void> {
    this.#file = new FollowedFile(path, this.reader());
    await this.#file.open();
  }

  /** Takes what has been written meanwhile. */
  async read(): Promise<void> {
    await this.#file?.read();
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

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

/** A file that grows. */
class FollowedFile {
  readonly #path: string;
  readonly #take: (chunk: Uint8Array) => void;
  #handle: FileHandle | undefined;
  #at = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor(path: string, take: (chunk: Uint8Array) => void) {
    this.#path = path;
    this.#take = take;
  }

  /** What is in it already belongs to nothing that this run does. */
  async open(): Promise<void> {
    this.#handle = await open(this.#path, constants.O_RDONLY).catch(ifMissing);
    this.#at = (await this.#handle?.stat())?.size ?? 0;
  }

  /** One after another: each begins where the one before ended. */
  read(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readOn()).catch(() => {});
    return this.#reading;
  }

  async #readOn(): Promise<void> {
    this.#handle ??= await open(this.#path, constants.O_RDONLY).catch(ifMissing);
    if (this.#handle === undefined) return;
    const { size, ino } = await this.#handle.stat();
    if (size < this.#at) this.#at = 0;
    this.#at = Math.max(this.#at, size - mostBytes);
    const chunk = Buffer.alloc(Math.max(0, size - this.#at));
    const { bytesRead } = await this.#handle.read(chunk, 0, chunk.length, this.#at);
    this.#at += bytesRead;
    this.#take(chunk.subarray(0, bytesRead));
    const now = await stat(this.#path).catch(ifMissing);
    if (now === undefined || now.ino === ino) return;
    // Rotated: the old one has been read to its end.
    await this.close();
    this.#at = 0;
    await this.#readOn();
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
