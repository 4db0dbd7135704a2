import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AuthcliError } from '../errors.ts';
import { type Content, fileContent, textContent } from './content.ts';
import type { Context } from './context.ts';
import { usage } from './hints.ts';
import type { Flag, Source } from './options.ts';

/** Where the bytes of a value come from. */
type Origin = 'given' | 'stdin' | 'file';

/**
 * Turns the texts of flags and arguments into content: `-` is standard input, `@FILE` a file, and
 * for secrets `env:NAME`, `file:PATH` and `cmd:COMMAND`. One object a run, since standard input
 * can be read only once.
 */
export class InputReader {
  readonly #context: Context;
  readonly #allowsLoose: boolean;
  #stdinUser: Source | undefined;

  /** `allowsLoose`: references lead also to files that others can read. */
  constructor(context: Context, allowsLoose = false) {
    this.#context = context;
    this.#allowsLoose = allowsLoose;
  }

  /** The content of one value. Throws `usage`, naming the source, for what can't be read. */
  async resolve(
    flag: Pick<Flag<unknown>, 'input' | 'references'>,
    text: string,
    source: Source,
  ): Promise<Content> {
    if (flag.input === 'word' || flag.input === 'path') return textContent(text);
    if (text.startsWith('-----')) throw pemOnCommandLine(source);
    const referenced = flag.references ? await this.#reference(text, source) : undefined;
    return referenced ?? this.#content(flag.input, text, source);
  }

  async #content(input: 'text' | 'file', text: string, source: Source): Promise<Content> {
    const origin = originOf(input, text);
    if (origin === 'given') return textContent(text);
    if (origin === 'stdin') return fileContent(await this.#stdin(source));
    return fileContent(await this.#file(text.startsWith('@') ? text.slice(1) : text, source));
  }

  async #reference(text: string, source: Source): Promise<Content | undefined> {
    const [, kind, target = ''] = /^(env|file|cmd):(.*)$/s.exec(text) ?? [];
    if (kind === 'env') return textContent(this.#environment(target, source));
    if (kind === 'file') return fileContent(await this.#secretFile(target, source));
    if (kind === 'cmd') return textContent(await this.#command(target, source));
    return undefined;
  }

  #environment(name: string, source: Source): string {
    const value = this.#context.env[name];
    if (value !== undefined && value !== '') return value;
    throw usage(
      `${source}: the environment variable ${name} is not set.`,
      `Set ${name}, or name another one.`,
    );
  }

  async #command(line: string, source: Source): Promise<string> {
    const [command, ...args] = splitWords(line);
    if (command === undefined) throw usage(`${source}: cmd: names no command.`);
    return this.#context.firstLineOf(command, args).catch((error: unknown) => {
      if (error instanceof AuthcliError) throw error;
      throw usage(`${source}: the command ${command} failed.`, reasonOf(error));
    });
  }

  async #stdin(source: Source): Promise<Uint8Array> {
    if (this.#stdinUser !== undefined) {
      throw usage(
        `${source}: standard input is already read for ${this.#stdinUser}.`,
        'Only one value can be "-"; give the other one as @FILE.',
      );
    }
    this.#stdinUser = source;
    return this.#context.stdin.read();
  }

  /** What a secret is kept in, for longer than this run, is its owner's alone. */
  async #secretFile(path: string, source: Source): Promise<Uint8Array> {
    const mode = this.#allowsLoose ? undefined : looseMode(resolve(this.#context.cwd, path));
    if (mode === undefined) return this.#file(path, source);
    throw usage(
      `${source}: others can read the file ${JSON.stringify(path)} (mode ${mode}).`,
      'Close it with chmod 600, or allow it with --allow-loose-permissions; if others use this machine, take the secret for known to them.',
    );
  }

  async #file(path: string, source: Source): Promise<Uint8Array> {
    try {
      return await readFile(resolve(this.#context.cwd, path));
    } catch (error) {
      throw usage(`${source}: the file ${JSON.stringify(path)} can't be read.`, reasonOf(error));
    }
  }
}

/**
 * A plain file is read at once: the threads that read it otherwise take 4 ms to start. Whatever may
 * keep a reader waiting, such as a pipe, is left to them, so that it can be interrupted.
 */
async function readFile(path: string): Promise<Uint8Array> {
  if (statSync(path).isFile()) return readFileSync(path);
  const { readFile: read } = await import('node:fs/promises');
  return read(path);
}

/** The mode of a plain file that its group or others may read or write; Windows has no such modes. */
function looseMode(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || (stat.mode & 0o066) === 0 || process.platform === 'win32')
    return undefined;
  return (stat.mode & 0o777).toString(8).padStart(4, '0');
}

/** Whether a value is the text itself, not the name of where it is. */
export function isBare(input: Flag<unknown>['input'], text: string): boolean {
  return input === 'text' && originOf(input, text) === 'given' && !/^(?:env|file|cmd):/.test(text);
}

function originOf(input: 'text' | 'file', text: string): Origin {
  if (text === '-') return 'stdin';
  return input === 'file' || (text.startsWith('@') && text.length > 1) ? 'file' : 'given';
}

/** What the system says of a file or command, without its path. */
function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  const reasons: Record<string, string> = {
    ENOENT: 'It does not exist.',
    EACCES: 'Permission is denied.',
    EISDIR: 'It is a folder.',
  };
  if (code === undefined) return error instanceof Error ? error.message : '';
  return reasons[code] ?? `The system says ${code}.`;
}

/** The words of a command line, with '…' and "…" holding words together; there is no shell. */
export function splitWords(line: string): string[] {
  const words = line.match(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double ?? ''),
  );
}

function pemOnCommandLine(source: Source): Error {
  return usage(
    `${source}: a PEM text can't be given on the command line.`,
    'Put it into a file and give @FILE, or pipe it in and give "-".',
  );
}
