import type { Output } from '../context.ts';

/** Standard output or standard error: Node's stream, with its failure kept for the end of the run. */
export class StandardOutput implements Output {
  readonly #stream: NodeJS.WriteStream;
  readonly #isReadByCi: boolean;
  #failure: string | undefined;
  #atLineStart = true;

  /** With `isReadByCi`, nothing that is written becomes a command of the CI system. */
  constructor(stream: NodeJS.WriteStream, isReadByCi: boolean) {
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

/** The variables by which CI systems say that they read the output. */
const systems = ['GITHUB_ACTIONS', 'TF_BUILD', 'GITLAB_CI', 'TEAMCITY_VERSION'] as const;

/** Whether a CI system reads the output, and takes some of it as commands. */
export function readsCommands(env: Readonly<Record<string, string | undefined>>): boolean {
  return systems.some((name) => (env[name] ?? '') !== '');
}

/** The annotations of `--format github`; what others say in them is escaped, and never at the start of a line. */
const ownCommand = /^::(?:error|warning) title=/;

/**
 * Puts a space into what CI systems would execute: `##[set-env …]` (GitHub, Azure), `##vso[…]` and
 * `##teamcity[…]` anywhere, `::set-output …` at the start of a line, and GitLab's section markers. The runner of
 * GitHub skips what .NET calls white space: U+0085 too.
 */
export function breakLogCommands(text: string, atLineStart: boolean): string {
  return text
    .replace(/##(?=\[|vso\[|teamcity\[)/gi, '# #')
    .replace(/(section_(?:start|end)):(?=\d)/g, '$1 :')
    .replace(
      /^((?:[^\S\n\r\u2028\u2029]|\u0085)*)::.*/gm,
      (line: string, blanks: string, offset: number) => {
        const begins = offset > 0 || atLineStart;
        return begins && !ownCommand.test(line)
          ? `${blanks}: :${line.slice(blanks.length + 2)}`
          : line;
      },
    );
}
