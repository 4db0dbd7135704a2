import { fstatSync, writeSync } from 'node:fs';
import type { Output } from './context.ts';

/** A standard stream: its number, and how Node opens it. */
export interface StandardStream {
  readonly descriptor: 1 | 2;
  readonly open: () => NodeJS.WriteStream;
  /** Whether files and pipes may be written to by number: not on Windows. */
  readonly isDirect: boolean;
}

/** In bytes: no pipe or socket of Linux and macOS holds less, so that so much is written without waiting for a reader. */
const heldByPipe = 4096;

/**
 * Standard output or standard error. Node makes a stream of either when it is first named, which
 * costs a millisecond and more. Files don't need one, nor does a pipe for the few lines of most
 * commands; but a server must never wait for the reader of what it tells, so the rest is the stream's.
 */
export class ProcessOutput implements Output {
  readonly #standard: StandardStream;
  #kind: 'file' | 'pipe' | 'stream' | undefined;
  #opened: NodeJS.WriteStream | undefined;
  #piped = 0;
  #failure: string | undefined;

  constructor(standard: StandardStream) {
    this.#standard = standard;
  }

  get #stream(): NodeJS.WriteStream {
    this.#opened ??= this.#standard.open().on('error', (error: NodeJS.ErrnoException) => {
      this.#failure ??= error.code ?? 'unknown';
    });
    return this.#opened;
  }

  get isTerminal(): boolean {
    this.#kind ??= this.#standard.isDirect ? kindOf(this.#standard.descriptor) : 'stream';
    return this.#kind === 'stream' && this.#stream.isTTY === true;
  }

  get columns(): number {
    return (this.isTerminal && this.#stream.columns) || 80;
  }

  write(text: string): void {
    if (this.#failure !== undefined) return;
    if (this.isTerminal || this.#opened !== undefined) {
      this.#stream.write(text);
      return;
    }
    const bytes = Buffer.from(text);
    this.#piped += bytes.length;
    if (this.#kind === 'file' || this.#piped <= heldByPipe) this.#writeByNumber(bytes);
    else this.#stream.write(bytes);
  }

  /** A pipe that is full already and must not be waited for is left to Node's stream from there on. */
  #writeByNumber(bytes: Uint8Array): void {
    let rest = bytes;
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.#standard.descriptor, rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') this.#stream.write(rest);
      else this.#failure = code ?? 'unknown';
    }
  }

  /** Waits until everything is written; the code of what went wrong. */
  end(): Promise<string | undefined> {
    const opened = this.#opened;
    if (opened === undefined) return Promise.resolve(this.#failure);
    return new Promise((resolve) => {
      opened.write('', (error?: NodeJS.ErrnoException | null) => {
        resolve(this.#failure ?? error?.code);
      });
    });
  }
}

/** proc(5), null(4): the number of the device that swallows everything, on Linux. */
const nullDevice = 259;

/** A device may be a terminal, which asking `node:tty` for loads a dozen modules of Node's. */
function kindOf(descriptor: number): 'file' | 'pipe' | 'stream' {
  try {
    const status = fstatSync(descriptor);
    if (status.isFile() || status.rdev === nullDevice) return 'file';
    return status.isFIFO() || status.isSocket() ? 'pipe' : 'stream';
  } catch {
    return 'stream'; // closed
  }
}
