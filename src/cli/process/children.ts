import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { AuthcliError } from '../../errors.ts';

/** A program to run. */
export interface Child {
  readonly command: string;
  readonly args: readonly string[];
  /** The command is a line of the shell, and has no `args`. */
  readonly inShell?: boolean;
  /**
   * `inherited` are those of this process. `captured` goes into the output, without a terminal. Of `printed` standard
   * output does, and on a terminal it may ask there and print its errors.
   */
  readonly streams: 'inherited' | 'captured' | 'printed';
  /** Added to the environment; a variable that is undefined is removed. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Take what it writes, where its streams are captured, as it comes. */
  readonly readers?: Record<'stdout' | 'stderr', (chunk: Uint8Array) => void>;
  /** Its standard input where its streams are captured; none by default. */
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}

export interface ChildEnd {
  /** The exit status, or 128 and the number of the signal. */
  readonly status: number;
  /** For example "SIGKILL". */
  readonly signal?: string | undefined;
  readonly timedOut: boolean;
  /** In the order of arrival; cut after `mostOutput`. */
  readonly output: string;
}

export interface ParentProcess {
  /** The whole environment, before what the command adds. */
  readonly env: NodeJS.ProcessEnv;
  /** Standard input is a terminal: the command may ask there, and gets Ctrl-C from it. */
  readonly hasTerminal: boolean;
  readonly os: string;
  readonly kill: (pid: number, signal: NodeJS.Signals | 0) => boolean;
  /** Calls `work` when this process exits; returns what undoes that. */
  readonly atExit: (work: () => void) => () => void;
}

/** Between SIGTERM and SIGKILL, for a command of the user and for a captured one; a server gets as long as the former. */
const graceMs = { inherited: 5_000, printed: 5_000, captured: 500 } as const;
const pollMs = 20;
/** Further output is dropped. */
export const mostOutput = 65_536;
/** How long output is waited for after the end: a grandchild may leave the stream open. */
const lastOutputMs = 200;

/**
 * Runs a program until it ends, its time is over, or `signal` is aborted. It gets a process group, which ends as a whole;
 * where it shares the terminal it stays in ours, since another group could not read from there, and ends alone.
 * @throws the error of the system where it can't be started
 */
export async function runChild(child: Child, parent: ParentProcess): Promise<ChildEnd> {
  const { command, args, streams, cwd, timeoutMs, signal } = child;
  const grace = child.readers ? graceMs.inherited : graceMs[streams];
  const isShared = parent.hasTerminal && streams !== 'captured';
  const started = spawn(command, [...args], {
    cwd,
    shell: child.inShell,
    windowsHide: true,
    detached: !isShared && parent.os !== 'win32',
    env: { ...parent.env, ...child.env },
    stdio: streamsOf(child, parent),
  });
  const ended = new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    started.on('error', reject);
    started.on('exit', (...exit) => resolve(exit));
  });
  const closed = new Promise((resolve) => started.on('close', resolve));
  const send = (name: NodeJS.Signals | 0) => sendTo(started, name, isShared, parent);
  const undo = parent.atExit(() => send('SIGKILL'));
  let timedOut = false;
  let ending: Promise<void> | undefined;
  const end = (): void => {
    const interrupted =
      signal.reason instanceof AuthcliError && signal.reason.code === 'interrupted';
    const first = interrupted && streams !== 'captured' ? 'SIGINT' : 'SIGTERM';
    // Ctrl-C on a shared terminal has reached it already.
    ending ??= endSoon(send, isShared && first === 'SIGINT' ? 0 : first, grace);
  };
  const onTimeout = (): void => {
    timedOut = true;
    end();
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  const output = collect(started, child.readers);
  // A program that reads nothing closes its end.
  started.stdin?.on('error', () => {}).end(child.input);
  try {
    const [code, name] = await ended;
    if (streams === 'inherited') await endSoon(send, 'SIGTERM', graceMs.inherited);
    if (streams === 'captured') send('SIGKILL');
    await ending;
    await Promise.race([closed, delay(lastOutputMs)]);
    for (const stream of [started.stdout, started.stderr]) stream?.destroy();
    const status = code ?? 128 + constants.signals[name ?? 'SIGTERM'];
    return { status, signal: name ?? undefined, timedOut, output: output() };
  } finally {
    undo();
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

function streamsOf({ streams, input }: Child, { hasTerminal }: ParentProcess): StdioOptions {
  if (streams === 'inherited') return 'inherit';
  if (streams === 'captured') return [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'];
  const terminal = hasTerminal ? 'inherit' : 'ignore';
  return [terminal, 'pipe', terminal];
}

/** Sends a signal to all of its group, or to it alone; whether there was a process to take it. */
function sendTo(
  { pid, exitCode, signalCode }: ChildProcess,
  signal: NodeJS.Signals | 0,
  isShared: boolean,
  { os, kill }: ParentProcess,
): boolean {
  const isRunning = exitCode === null && signalCode === null;
  if (pid === undefined || ((isShared || os === 'win32') && !isRunning)) return false;
  // Windows has one signal, which ends a process at once.
  if (os === 'win32' && signal !== 0) spawnSync('taskkill', ['/pid', String(pid), '/T', '/F']);
  try {
    return kill(isShared || os === 'win32' ? pid : -pid, os === 'win32' ? 0 : signal);
  } catch {
    return false; // it has ended meanwhile
  }
}

async function endSoon(
  send: (signal: NodeJS.Signals | 0) => boolean,
  signal: NodeJS.Signals | 0,
  grace: number,
): Promise<void> {
  send(signal);
  const end = performance.now() + grace;
  while (send(0) && performance.now() < end) await delay(pollMs);
  send('SIGKILL');
}

function collect(child: ChildProcess, readers: Child['readers']): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (chunk: Buffer) => {
      readers?.[name](chunk);
      if (size < mostOutput) chunks.push(chunk.subarray(0, mostOutput - size));
      size += chunk.length;
    });
  return () => Buffer.concat(chunks).toString();
}
