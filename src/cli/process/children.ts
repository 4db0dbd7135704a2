import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { AuthcliError } from '../../errors.ts';
import type { ChildCommand } from '../context.ts';

export interface ParentProcess extends ProcessControl {
  /** The whole environment, before what the command adds. */
  readonly env: NodeJS.ProcessEnv;
  /** Standard input is a terminal: the command may ask there, and gets Ctrl-C from it. */
  readonly hasTerminal: boolean;
  /** Calls `work` when this process exits; returns what undoes that. */
  readonly atExit: (work: () => void) => () => void;
}

/** A program whose output is captured. */
export interface WatchedChild {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment; a variable that is undefined is removed. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Its standard input; none by default. */
  readonly input?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What it started keeps running after a success, such as a server; it is killed otherwise, as by default. */
  readonly leavesProcesses?: boolean;
}

export interface ChildEnd {
  readonly status: number | undefined;
  /** For example "SIGKILL". */
  readonly signal: string | undefined;
  readonly timedOut: boolean;
  /** Both streams in the order of arrival; cut after `mostOutput`. */
  readonly output: string;
}

/** Between SIGTERM and SIGKILL, for a command of the user and for a watched one. */
const graceMs = { command: 5_000, watched: 500 } as const;
const pollMs = 20;
/** Further output is dropped. */
const mostOutput = 65_536;
/** How long output is waited for after the end: a grandchild may leave the stream open. */
const lastOutputMs = 200;
/** How long a command that prints a secret may take: it may ask for a password first. */
const printMs = 60_000;

/**
 * Runs a program with this process's streams; resolves to its exit status, or 128 and the signal's number.
 * Without a terminal it gets a process group, which can be ended as a whole; with one it stays in ours,
 * since another group could not read from the terminal.
 */
export function runChildCommand(
  { command, args, env, signal }: ChildCommand,
  parent: ParentProcess,
): Promise<number> {
  const options: SpawnOptions = { stdio: 'inherit', env };
  const limits = { signal, graceMs: graceMs.command, ...apartFrom(parent) };
  return run(command, args, options, limits, parent, async ({ ended, tree }) => {
    const status = statusOf(await ended);
    await endTree(tree, 'SIGTERM', graceMs.command);
    return status;
  });
}

/**
 * Runs a program until it ends, its time is over, or `signal` is aborted, and then kills what it started, unless
 * that is to stay.
 * @throws the error of the system where it can't be started
 */
export function runWatched(
  { command, args, env, cwd, input, timeoutMs, signal, leavesProcesses = false }: WatchedChild,
  parent: ParentProcess,
): Promise<ChildEnd> {
  const options: SpawnOptions = {
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    windowsHide: true,
    cwd,
    env,
  };
  const apart = { isApart: true, interrupt: 'SIGTERM' } as const;
  const limits = { signal, timeoutMs, graceMs: graceMs.watched, ...apart };
  return run(command, args, options, limits, parent, async (running) => {
    const { child, tree } = running;
    const output = collect(child);
    // A program that reads nothing closes its end.
    child.stdin?.on('error', () => {}).end(input);
    const [status, name] = await running.ended;
    if (!leavesProcesses || status !== 0) tree.send('SIGKILL');
    await lastOutput(child);
    return {
      ...{ status: status ?? undefined, signal: name ?? undefined },
      ...{ timedOut: running.timedOut, output: output() },
    };
  });
}

/**
 * The first line that a program prints. On a terminal it may ask there and print its errors. Rejects with
 * the platform's error where it can't be started, else with an Error that says how it ended. Aborted, or
 * after a minute, all its processes are ended.
 * @throws AuthcliError `interrupted` where Ctrl-C on the terminal ended it
 */
export function firstLineOfCommand(
  {
    command,
    args,
    signal,
    timeoutMs = printMs,
  }: Omit<ChildCommand, 'env'> & { readonly timeoutMs?: number },
  parent: ParentProcess,
): Promise<string> {
  const { hasTerminal } = parent;
  const terminal = hasTerminal ? 'inherit' : 'ignore';
  const options: SpawnOptions = { stdio: [terminal, 'pipe', terminal] };
  const limits = { signal, timeoutMs, graceMs: graceMs.command, ...apartFrom(parent) };
  return run(command, args, options, limits, parent, async (running) => {
    const [exit, line] = await Promise.all([running.ended, firstLineIn(running.child.stdout)]);
    await running.ending;
    if (running.timedOut)
      throw new Error(`It didn't end within ${timeoutMs / 1000} s, and was ended.`);
    return lineOrFailure(statusOf(exit), line, hasTerminal);
  });
}

function lineOrFailure(status: number, line: string, hasTerminal: boolean): string {
  // A terminal sends Ctrl-C to the command and to us; which hears of it first is chance.
  if (hasTerminal && status === 128 + constants.signals.SIGINT)
    throw new AuthcliError('interrupted', 'Interrupted.');
  if (status !== 0) throw new Error(`It exited with status ${status}. Run it by hand to see why.`);
  if (line.length > mostOutput) throw new Error('Its first line has more than 64 KiB.');
  return line;
}

/** Further lines are read and dropped, so that the program can write them; of a long line its beginning. */
async function firstLineIn(stream: Readable | null): Promise<string> {
  let text = '';
  for await (const chunk of stream?.setEncoding('utf8') ?? []) {
    if (text.length <= mostOutput && !text.includes('\n')) text += chunk;
  }
  return text.split(/\r?\n/, 1)[0] ?? '';
}

type Exit = readonly [status: number | null, signal: NodeJS.Signals | null];

interface Limits {
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  /** In a process group of its own. */
  readonly isApart: boolean;
  /** What it gets on Ctrl-C. */
  readonly interrupt: NodeJS.Signals | undefined;
  /** Between the first signal and SIGKILL. */
  readonly graceMs: number;
}

interface Running {
  readonly child: ChildProcess;
  readonly tree: ProcessTree;
  readonly ended: Promise<Exit>;
  timedOut: boolean;
  /** Once it was told to end. */
  ending: Promise<void> | undefined;
}

/** Starts a program for `work`; aborted, out of time or at the exit of this process, all its processes are ended. */
async function run<T>(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
  { signal, timeoutMs, isApart, interrupt, graceMs: grace }: Limits,
  parent: ParentProcess,
  work: (running: Running) => Promise<T>,
): Promise<T> {
  const detached = isApart && parent.os !== 'win32';
  const env = { ...parent.env, ...options.env };
  const child = spawn(command, [...args], { ...options, env, detached });
  const ended = new Promise<Exit>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (...exit) => resolve(exit));
  });
  const { pid } = child;
  if (pid === undefined) {
    await ended;
    throw new TypeError(`${command} has no process id, and yet it ended`);
  }
  const tree = detached ? groupOf(pid, parent) : treeOf(pid, parent);
  const undo = parent.atExit(() => tree.send('SIGKILL'));
  const running: Running = { child, tree, ended, timedOut: false, ending: undefined };
  const end = (): void => {
    running.ending ??= endTree(tree, signalFor(signal.reason, interrupt), grace);
  };
  const onTimeout = (): void => {
    running.timedOut = true;
    end();
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await work(running);
  } finally {
    undo();
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

function statusOf([status, signal]: Exit): number {
  return status ?? 128 + constants.signals[signal ?? 'SIGTERM'];
}

/** A command that shares the terminal is in our process group, and gets Ctrl-C from there. */
function apartFrom({ hasTerminal }: ParentProcess): Pick<Limits, 'isApart' | 'interrupt'> {
  return hasTerminal
    ? { isApart: false, interrupt: undefined }
    : { isApart: true, interrupt: 'SIGINT' };
}

function signalFor(reason: unknown, interrupt: Limits['interrupt']): Limits['interrupt'] {
  const interrupted = reason instanceof AuthcliError && reason.code === 'interrupted';
  return interrupted ? interrupt : 'SIGTERM';
}

async function endTree(
  tree: ProcessTree,
  signal: NodeJS.Signals | undefined,
  grace: number,
): Promise<void> {
  if (signal !== undefined) tree.send(signal);
  const end = performance.now() + grace;
  while (tree.isAlive() && performance.now() < end) await delay(pollMs);
  if (tree.isAlive()) tree.send('SIGKILL');
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

async function lastOutput(child: ChildProcess): Promise<void> {
  await Promise.race([once(child, 'close'), delay(lastOutputMs, undefined, { ref: false })]);
  child.stdout?.destroy();
  child.stderr?.destroy();
}

export interface ProcessTree {
  readonly isAlive: () => boolean;
  readonly send: (signal: NodeJS.Signals) => void;
}

export interface ProcessControl {
  readonly pid: number;
  readonly os: string;
  readonly kill: (pid: number, signal: NodeJS.Signals | 0) => boolean;
}

/** The processes of a group of its own, by the process that leads it. */
export function groupOf(leader: number, control: ProcessControl): ProcessTree {
  return {
    isAlive: () => sendTo(-leader, 0, control),
    send: (signal) => void sendTo(-leader, signal, control),
  };
}

/** The descendants of a process that shares our process group, orphans among them included. */
export function treeOf(root: number, control: ProcessControl): ProcessTree {
  if (control.os === 'win32') return windowsTreeOf(root, control);
  const started = processes(control).find(({ pid }) => pid === root)?.started;
  const members = (): readonly number[] => membersOf(root, started, control);
  return {
    isAlive: () => members().length > 0,
    send: (signal) => {
      for (const pid of members()) sendTo(pid, signal, control);
    },
  };
}

/** Windows has one signal, which ends a process at once. */
function windowsTreeOf(root: number, control: ProcessControl): ProcessTree {
  return {
    isAlive: () => sendTo(root, 0, control),
    send: () => void spawnSync('taskkill', ['/pid', String(root), '/T', '/F']),
  };
}

function sendTo(pid: number, signal: NodeJS.Signals | 0, { kill }: ProcessControl): boolean {
  try {
    return kill(pid, signal);
  } catch {
    return false; // it has ended meanwhile
  }
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Ticks since the machine started; where unknown, orphans are not searched. */
  readonly started?: number;
}

function membersOf(
  root: number,
  started: number | undefined,
  control: ProcessControl,
): readonly number[] {
  const all = processes(control);
  const members = all
    .filter(({ pid }) => pid === root)
    .concat(orphansIn(all, started, control.pid));
  for (const { pid } of members) members.push(...all.filter(({ parent }) => parent === pid));
  return [...new Set(members.map(({ pid }) => pid))];
}

/**
 * Orphans of the command: younger than it, in our group, their parent outside. Others in the group are
 * older (what started us) or have their parent in it or in the shell (a pipeline).
 */
function orphansIn(
  all: readonly Process[],
  since: number | undefined,
  ownPid: number,
): readonly Process[] {
  const own = all.find(({ pid }) => pid === ownPid);
  if (own === undefined || since === undefined) return [];
  const group = all.filter((other) => other.group === own.group);
  const inside = new Set([...group.map(({ pid }) => pid), own.parent]);
  return group.filter(({ parent, started = 0 }) => started >= since && !inside.has(parent));
}

/** From /proc on Linux, where ps(1) may not be installed. */
function processes({ os }: ProcessControl): readonly Process[] {
  if (os === 'linux') return readdirSync('/proc').flatMap(processIn);
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [pid, parent, group, state = 'Z'] = line.trim().split(/\s+/);
    if (state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group) }];
  });
}

/** An entry of /proc, see proc_pid_stat(5); a zombie has ended. */
function processIn(entry: string): readonly Process[] {
  if (!/^\d+$/.test(entry)) return [];
  try {
    // The name is in parentheses and may contain any of them.
    const [, rest = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${entry}/stat`, 'utf8')) ?? [];
    const fields = rest.split(' '); // the third of the page is the first here
    if (fields[0] === 'Z') return [];
    const [parent = 0, group = 0, started = 0] = [fields[1], fields[2], fields[19]].map(Number);
    return [{ pid: Number(entry), parent, group, started }];
  } catch {
    return []; // it has ended meanwhile
  }
}
