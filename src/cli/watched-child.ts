import { type ChildProcess, spawn } from 'node:child_process';
import { platform } from 'node:os';
import { type Family, groupOf, treeOf } from './child-family.ts';
import type { ChildWorld } from './child-process.ts';

/** A program to run and look at: it gets no input, and what it prints is kept. */
export interface WatchedChild {
  readonly command: string;
  readonly args: readonly string[];
  /** Changes of the environment; what is undefined is taken out of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** It is ended after so many milliseconds. */
  readonly timeoutMs: number;
  /** It is ended when this is aborted. */
  readonly signal: AbortSignal;
}

/** How it ended. */
export interface ChildEnd {
  /** The exit status; undefined where a signal ended it. */
  readonly status: number | undefined;
  /** The signal that ended it: "SIGKILL". */
  readonly signal: string | undefined;
  /** It was ended because its time was over. */
  readonly timedOut: boolean;
  /** What it printed on both streams, in the order in which it came; the beginning of much. */
  readonly output: string;
}

/** More of what it prints is let go. */
const mostOutput = 65_536;
/** So long it may take to end by itself once it is told to. */
const graceMs = 500;
/** So long output is waited for behind the end; a child of its own may hold the stream open. */
const lastWordsMs = 200;

/**
 * Runs a program until it ends, its time is over, or `signal` says so, and then ends whatever it
 * has started itself and left behind.
 * @throws the error of the system where it can't be started
 */
export async function runWatched(
  { command, args, env, cwd, timeoutMs, signal }: WatchedChild,
  world: Pick<ChildWorld, 'env' | 'atExit'>,
): Promise<ChildEnd> {
  const detached = platform() !== 'win32';
  const child = spawn(command, [...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
    windowsHide: true,
    cwd,
    env: { ...world.env, ...env },
  });
  const output = collect(child);
  const exited = exitOf(child);
  if (child.pid === undefined) return exited.then(() => never(command));
  const family = detached ? groupOf(child.pid) : treeOf(child.pid);
  const undo = world.atExit(() => family.send('SIGKILL'));
  const ending = new Ending(family, timeoutMs, signal);
  try {
    const [status, name] = await exited;
    family.send('SIGKILL');
    await lastWords(child);
    const { timedOut } = ending;
    return { status: status ?? undefined, signal: name ?? undefined, timedOut, output: output() };
  } finally {
    ending.forget();
    undo();
  }
}

type Exit = readonly [status: number | null, signal: NodeJS.Signals | null];

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (...exit) => resolve(exit));
  });
}

function never(command: string): never {
  throw new TypeError(`${command} has no process id, and yet it ended`);
}

/** Asks the family to end when the time is over or the signal comes, and makes it end after a moment. */
class Ending {
  timedOut = false;
  readonly #family: Family;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  #killing: NodeJS.Timeout | undefined;

  constructor(family: Family, timeoutMs: number, signal: AbortSignal) {
    this.#family = family;
    this.#signal = signal;
    this.#timer = setTimeout(() => {
      this.timedOut = true;
      this.#begin();
    }, timeoutMs);
    if (signal.aborted) this.#begin();
    signal.addEventListener('abort', this.#begin, { once: true });
  }

  readonly #begin = (): void => {
    this.#family.send('SIGTERM');
    this.#killing ??= setTimeout(() => this.#family.send('SIGKILL'), graceMs);
  };

  /** It has ended. */
  forget(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#killing);
    this.#signal.removeEventListener('abort', this.#begin);
  }
}

function collect({ stdout, stderr }: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      if (size < mostOutput) chunks.push(chunk.subarray(0, mostOutput - size));
      size += chunk.length;
    });
  }
  return () => Buffer.concat(chunks).toString();
}

function lastWords(child: ChildProcess): Promise<void> {
  return new Promise<void>((resolve) => {
    const over = setTimeout(resolve, lastWordsMs);
    child.once('close', () => {
      clearTimeout(over);
      resolve();
    });
  }).then(() => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  });
}
