import { fstatSync, writeSync } from 'node:fs';
import type { Output } from './context.ts';

/** A standard stream: its number, and how Node opens it. */
export interface StandardStream {
  readonly descriptor: 1 | 2;
  readonly open: () => NodeJS.WriteStream;
  /** Whether files and pipes may be written to by number, as Node itself does on all systems but Windows. */
  readonly isDirect: boolean;
}

/**
 * Standard output or standard error. Node makes a stream of either when it is first named, which
 * costs a millisecond and more: only a terminal, or a pipe that is full, needs that.
 */
export class ProcessOutput implements Output {
  readonly #standard: StandardStream;
  #opened: NodeJS.WriteStream | undefined;
  #isTerminal: boolean | undefined;
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
    const { isDirect, descriptor } = this.#standard;
    this.#isTerminal ??= (!isDirect || isDevice(descriptor)) && this.#stream.isTTY === true;
    return this.#isTerminal;
  }

  get columns(): number {
    return (this.isTerminal && this.#stream.columns) || 80;
  }

  write(text: string): void {
    if (this.#failure !== undefined) return;
    if (this.#opened === undefined && this.#standard.isDirect && !this.isTerminal) {
      this.#writeByNumber(Buffer.from(text));
    } else {
      this.#stream.write(text);
    }
  }

  /** A pipe that is full and must not be waited for is left to Node's stream from there on. */
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

/** Whether it may be a terminal: asking `node:tty` loads a dozen modules of Node's. */
function isDevice(descriptor: number): boolean {
  try {
    const status = fstatSync(descriptor);
    return status.isCharacterDevice() && status.rdev !== nullDevice;
  } catch {
    return false; // closed
  }
}
