import { isUtf8 } from 'node:buffer';
import { createReadStream, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { decodeFile, encodeUtf8 } from '../../bytes.ts';
import { AuthcliError } from '../../errors.ts';
import { byteCount, capitalised, shellWord } from '../../text.ts';
import type { Context } from '../context.ts';
import { usage } from '../failure.ts';
import { mostOutput } from '../process/children.ts';
import type { Flag, Source } from './options.ts';

export interface Content {
  readonly bytes: Uint8Array;
  /** The text of a file without its byte order mark; bytes that are neither UTF-8 nor UTF-16 with a mark as U+FFFD. */
  readonly text: string;
  /** The file that it was read from. */
  readonly file?: string;
}

/** The content of a value that is its own text. */
export function textContent(text: string): Content {
  return { bytes: encodeUtf8(text), text };
}

/**
 * The content of a file or of standard input. One line end at the end is the editor's or the shell's and
 * is dropped; bytes that are not text (a key in DER) stay as they are.
 */
export function fileContent(bytes: Uint8Array): Content {
  const text = decodeFile(bytes);
  if (text === undefined) return { bytes, text: Buffer.from(bytes).toString('utf8') };
  const lineEnd = /\r?\n$/.exec(text.slice(-2))?.[0].length ?? 0;
  const unitBytes = isUtf8(bytes) ? 1 : 2;
  return {
    bytes: bytes.subarray(0, bytes.length - lineEnd * unitBytes),
    text: text.slice(0, text.length - lineEnd),
  };
}

/** What of a flag decides how its value is read. */
type Reading = Pick<Flag<unknown>, 'input' | 'references'> & Partial<Flag<unknown>>;

/**
 * Reads the values of flags and arguments: `-` is standard input, `@FILE` a file, and for secrets
 * `env:NAME`, `file:PATH` and `cmd:COMMAND`. One per run, since standard input can be read only once.
 */
export class InputReader {
  readonly #context: Context;
  readonly #warn: (problem: string, fix: string) => void;
  #stdinUser: Source | undefined;

  constructor(context: Context, warn: (problem: string, fix: string) => void) {
    this.#context = context;
    this.#warn = warn;
  }

  /** The content of one value. Throws `usage`, naming the source, for what can't be read. */
  async resolve(flag: Reading, text: string, source: Source): Promise<Content> {
    const { input, references, secret = false, anyMode = false, limit = valueLimit } = flag;
    if (input === 'word' || input === 'path') return textContent(text);
    if (text.startsWith('-----')) throw pemOnCommandLine(source);
    const [, kind, target = ''] = (references && /^(env|file|cmd):(.*)$/s.exec(text)) || [];
    if (kind !== undefined) return this.#reference(kind, target, source);
    if (text === '@') throw usage(`${source}: "@" lacks the name of a file.`, 'Write @FILE.');
    const isFile = input === 'file' || text.startsWith('@');
    if (text !== '-' && !isFile) return textContent(text);
    const file = text === '-' ? undefined : text.replace(/^@/, '');
    if (file !== undefined && secret && !anyMode) this.#refuseExposed(file, source);
    if (file === undefined) this.claimStandardInput(source);
    const bytes = await (file === undefined
      ? drain(this.#context.stdin.chunks(), `${source}: standard input`, limit)
      : this.file(file, source, limit));
    refuseManyValues(bytes, source, limit);
    return { ...fileContent(bytes), ...(file !== undefined && { file }) };
  }

  /** The secret that a reference leads to. Throws `usage`, naming the source, where it leads nowhere. */
  async followReference(text: string, source: Source): Promise<string> {
    return (await this.resolve({ input: 'text', references: true }, text, source)).text;
  }

  async #reference(kind: string, target: string, source: Source): Promise<Content> {
    if (target === '')
      throw usage(
        `${source}: nothing follows ${kind}:`,
        'Write env:NAME, file:PATH or cmd:COMMAND.',
      );
    if (kind === 'cmd') return textContent(await this.#command(target, source));
    if (kind === 'file') {
      this.#refuseExposed(target, source);
      return fileContent(await this.file(target, source));
    }
    const value = this.#context.env[target] || undefined;
    if (value !== undefined) return textContent(value);
    throw usage(
      `${source}: the environment variable ${target} is not set.`,
      `Set ${target}, or name another one.`,
    );
  }

  async #command(line: string, source: Source): Promise<string> {
    const { runChild, signal, stdin } = this.#context;
    const [command = '', ...args] = splitWords(line);
    const failed = (reason?: string) => usage(`${source}: the command ${command} failed.`, reason);
    const child = { command, args, signal, streams: 'printed', timeoutMs: printMs } as const;
    const { status, output, timedOut } = await runChild(child).catch((error: unknown) => {
      throw failed(reportOf((error as NodeJS.ErrnoException).code ?? ''));
    });
    signal.throwIfAborted();
    // A terminal sends Ctrl-C to the command and to us; which hears of it first is chance.
    if (stdin.isTerminal && status === 130) throw new AuthcliError('interrupted', 'Interrupted.');
    if (timedOut) throw failed(`It didn't end within ${printMs / 1000} s, and was ended.`);
    if (status !== 0) throw failed(`It exited with status ${status}. Run it by hand to see why.`);
    const [first = ''] = output.split(/\r?\n/, 1);
    if (first.length >= mostOutput) throw failed('Its first line has more than 64 KiB.');
    return first;
  }

  /** Throws `usage` where another value is read from it. */
  claimStandardInput(source: Source): void {
    if (this.#stdinUser !== undefined)
      throw usage(
        `${source}: standard input is already read for ${this.#stdinUser}.`,
        'Only one value can be "-"; give the other one as @FILE.',
      );
    this.#stdinUser = source;
  }

  /** Throws for a file of a secret that others can write, and warns of one that they can read. */
  #refuseExposed(path: string, source: Source): void {
    const { cwd, platform } = this.#context;
    if (platform.os === 'win32') return; // which has no such modes
    const found = statSync(resolve(cwd, path), { throwIfNoEntry: false });
    if (found?.isFile() !== true) return;
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
    const file = `the file ${JSON.stringify(path)} (mode ${mode})`;
    const chmod = `chmod 600 ${shellWord(path)}`;
    if ((found.mode & 0o022) !== 0)
      throw usage(
        `${source}: others can write ${file}.`,
        `Run ${chmod}. If others use this machine, treat the secret as compromised.`,
      );
    if ((found.mode & 0o044) !== 0 && canBeReached(realpathSync(resolve(cwd, path))))
      this.#warn(`${source}: others can read ${file}.`, `If they should not, run ${chmod}`);
  }

  /** The bytes of a file. Throws `usage`, naming the source, where it is too large or can't be read. */
  async file(path: string, source: Source, limit = valueLimit): Promise<Uint8Array> {
    const file = resolve(this.#context.cwd, path);
    const what = `${source}: the file ${JSON.stringify(path)}`;
    try {
      const stat = statSync(file);
      if (stat.isFile() && stat.size > limit.bytes) throw tooLarge(what, limit, stat.size);
      if (stat.isFile() && stat.size > 0) return readFileSync(file);
      // A pipe may block, and must be interruptible; a device may never end.
      return await drain(createReadStream(file), what, limit);
    } catch (error) {
      throw error instanceof AuthcliError ? error : unreadable(path, error, source);
    }
  }
}

/** Whether a value only says where a secret is. */
export function isReference(value: string): boolean {
  return /^(?:env|file|cmd):/.test(value);
}

/** Whether a value is the text itself, not a reference to it. */
export function isBare(input: Flag<unknown>['input'], text: string): boolean {
  return input === 'text' && text !== '-' && !text.startsWith('@') && !isReference(text);
}

/** The error for a file that can't be read, with the flag or variable that names it, if one does. */
export function unreadable(path: string, error: unknown, source?: Source): Error {
  const file = JSON.stringify(path);
  const reasons: Record<string, readonly [problem: string, hint: string]> = {
    ENOENT: [`the file ${file} doesn't exist.`, 'Check the path.'],
    EISDIR: [`${file} is a folder.`, 'Give a file in it.'],
    EACCES: [`permission to read the file ${file} is denied.`, 'Check its mode.'],
  };
  const { code = '' } = error as NodeJS.ErrnoException;
  const [problem, hint] = reasons[code] ?? [`the file ${file} can't be read.`, reportOf(code)];
  return usage(source === undefined ? capitalised(problem) : `${source}: ${problem}`, hint);
}

function reportOf(code: string): string {
  return code === '' ? '' : `The operating system reports ${code}.`;
}

/** Splits a command line into words; quotes join words. No shell is involved. */
export function splitWords(line: string): string[] {
  const words = line.match(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double ?? ''),
  );
}

/** A PEM text looks like an option and may be a secret, so nothing may print it. */
export function pemOnCommandLine(source?: Source): Error {
  const subject = source === undefined ? 'A' : `${source}: a`;
  return usage(
    `${subject} PEM text can't be given on the command line: it begins like an option, and a private key would stay in the shell's history.`,
    'Write it to a file and give the file as @FILE, for example @key.pem, or pipe it in and give "-".',
  );
}

/**
 * Whether others can enter the folders of a file. A container engine mounts secrets for everybody in the container:
 * Docker, Podman and systemd in /run/secrets; Kubernetes links to a folder named after the time of the update.
 */
function canBeReached(path: string): boolean {
  if (/^(?:\/var)?\/run\/secrets\/|\/\.\.\d{4}_\d\d_\d\d[^/]*\//.test(path)) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o011) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** How long a command that prints a secret may take: it may ask for a password first. */
const printMs = 60_000;

const mebibyte = 1024 * 1024;

/** How much a flag reads of a file or of standard input: beyond, authcli would need more than 300 MB of memory. */
export interface InputLimit {
  readonly bytes: number;
  /** Of JSON: the most values, since `[1,1,…]` needs much more memory than it has bytes. */
  readonly values?: number;
}

/** Of keys, payloads and other values: decryption and redaction need each in many forms. */
export const valueLimit: InputLimit = { bytes: mebibyte };

/** Of an error text, which is compared with every known one. */
export const errorTextLimit: InputLimit = { bytes: mebibyte / 16 };

/** Of a list of users, each of which becomes several objects and a file. */
export const usersLimit: InputLimit = { bytes: 4 * mebibyte, values: 150_000 };

/** Of a report of checks: each row becomes several objects. */
export const reportLimit: InputLimit = { bytes: 8 * mebibyte, values: 300_000 };

/** Of an HTTP archive, unpacked: it is kept in memory as a whole. */
export const archiveLimit: InputLimit = { bytes: 64 * mebibyte, values: 4_000_000 };

/** `bytes` is the size if it is known. */
function tooLarge(what: string, limit: InputLimit, bytes?: number): Error {
  const most = byteCount(limit.bytes);
  const size = bytes === undefined ? `more than ${most}` : byteCount(bytes);
  return usage(`${what} has ${size}; the limit is ${most}.`, 'Shorten it.');
}

/** Throws `usage`, naming the source, for bytes that contain more JSON values than the limit allows. */
export function refuseManyValues(bytes: Uint8Array, what: string, { values }: InputLimit): void {
  if (values === undefined) return;
  let commas = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x22) inString = !inString;
    else if (byte === 0x5c) at += 1;
    else if (byte === 0x2c && !inString) commas += 1;
  }
  if (commas < values) return;
  throw usage(
    `${what}: it has more than ${values.toLocaleString('en')} values.`,
    'Split it into several files.',
  );
}

/** All that a stream has; throws `usage`, naming it, beyond the limit. */
export async function drain(stream: AsyncIterable<Uint8Array>, what: string, limit: InputLimit) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit.bytes) throw tooLarge(what, limit);
  }
  return Buffer.concat(chunks);
}
