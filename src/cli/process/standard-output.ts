import type { Output } from '../context.ts';
import { breakLogCommands } from './log-commands.ts';

/** Standard output or standard error: Node's stream, with its failure kept for the end of the run. */
export class StandardOutput implements Output {
  readonly #stream: NodeJS.WriteStream;
  readonly #isReadByCi: boolean;
  #failure: string | undefined;
  #atLineStart = true;

  /** With `isReadByCi`, nothing that is written becomes a command of the CI system. */
  constructor(stream: NodeJS.WriteStream, isReadByCi = false) {
    this.#isReadByCi = isReadByCi;
    this.#stream = stream.on('error', ({ code }: NodeJS.ErrnoException) => {
      this.#failure ??= code ?? 'unknown';
    });
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  get columns(): number {
    return (this.isTerminal && this.#stream.columns) || 80;
  }

  write(text: string): void {
    if (this.#failure !== undefined || text === '') return;
    this.#stream.write(this.#isReadByCi ? breakLogCommands(text, this.#atLineStart) : text);
    this.#atLineStart = text.endsWith('\n');
  }

  /** Waits until everything is written; the code of the error that prevented it. */
  end(): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#stream.write('', (error?: NodeJS.ErrnoException | null) => {
        resolve(this.#failure ?? error?.code);
      });
    });
  }
}

/** What standard error says of standard output that failed with this code. */
export function unwrittenText(code: string): string {
  const reason = code === 'ENOSPC' ? 'no space is left' : code;
  return `error: Standard output can't be written: ${reason}.\n  Free some space, or send the output elsewhere.\n`;
}
