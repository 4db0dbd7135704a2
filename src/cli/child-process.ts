import { type ChildProcess, spawn } from 'node:child_process';
import { constants, platform } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { AuthcliError } from '../errors.ts';
import { type Family, groupOf, treeOf } from './child-family.ts';
import type { ChildCommand } from './context.ts';

/** What a child process takes of the world beside its command. */
export interface ChildWorld {
  /** The whole environment, before what the command adds. */
  readonly env: NodeJS.ProcessEnv;
  /** Standard input is a terminal: the command may ask there, and gets Ctrl-C from it. */
  readonly hasTerminal: boolean;
  /** Has something done when this process ends at once; gives what undoes that. */
  readonly atExit: (work: () => void) => () => void;
}

/** How long what was asked to end may take before it is killed. */
const graceMs = 5_000;
const lookMs = 20;

/**
 * Runs a program with this process's streams and gives its exit status, 128 and the signal's number
 * where a signal ended it. Whatever it has started ends with it, and with this process.
 *
 * Without a terminal the command gets a process group of its own, which can be ended as a whole.
 * With one it stays in ours: another group could not read from the terminal.
 */
export async function runChildCommand(
  { command, args, env, signal }: ChildCommand,
  world: ChildWorld,
): Promise<number> {
  const detached = !world.hasTerminal && platform() !== 'win32';
  const child = spawn(command, [...args], {
    stdio: 'inherit',
    env: { ...world.env, ...env },
    detached,
  });
  const ended = statusOf(child);
  if (child.pid === undefined) return ended;
  const family = detached ? groupOf(child.pid) : treeOf(child.pid);
  const undo = world.atExit(() => family.send('SIGKILL'));
  const stop = (): void => void endFamily(family, signalFor(signal.reason, world));
  signal.addEventListener('abort', stop, { once: true });
  try {
    const status = await ended;
    await endFamily(family, 'SIGTERM');
    return status;
  } finally {
    undo();
    signal.removeEventListener('abort', stop);
  }
}

function statusOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, name) => resolve(code ?? 128 + constants.signals[name ?? 'SIGTERM']));
  });
}

/** What the command is sent first; nothing where the terminal has sent it Ctrl-C already. */
function signalFor(reason: unknown, { hasTerminal }: ChildWorld): NodeJS.Signals | undefined {
  const interrupted = reason instanceof AuthcliError && reason.code === 'interrupted';
  if (!interrupted) return 'SIGTERM';
  return hasTerminal ? undefined : 'SIGINT';
}

/** Asks all of the family to end, and kills what is left of it after a while. */
async function endFamily(family: Family, signal: NodeJS.Signals | undefined): Promise<void> {
  if (signal !== undefined) family.send(signal);
  const end = performance.now() + graceMs;
  while (family.isAlive() && performance.now() < end) await delay(lookMs);
  if (family.isAlive()) family.send('SIGKILL');
}

/** How long a command that prints a secret may take: it may ask for a password first. */
const printMs = 60_000;

/**
 * The first line that a program prints. On a terminal it may ask there and say what is wrong;
 * elsewhere its standard input is empty and what it says is dropped.
 *
 * Rejects with the platform's error where it can't be started, else with an Error that says in a
 * sentence how it ended.
 * @throws AuthcliError `interrupted` where Ctrl-C on the terminal ended it
 */
export async function firstLineOfCommand(
  command: string,
  args: readonly string[],
  signal: AbortSignal,
  { hasTerminal }: Pick<ChildWorld, 'hasTerminal'>,
): Promise<string> {
  const spoken = hasTerminal ? 'inherit' : 'ignore';
  const child = spawn(command, [...args], { stdio: [spoken, 'pipe', spoken] });
  const stop = (): void => void child.kill();
  signal.addEventListener('abort', stop, { once: true });
  const late = setTimeout(stop, printMs);
  try {
    const [status, output] = await Promise.all([statusOf(child), outputOf(child)]);
    if (status === 0) return output.split(/\r?\n/, 1)[0] ?? '';
    // A terminal sends Ctrl-C to the command and to us; which hears of it first is chance.
    if (hasTerminal && status === 128 + constants.signals.SIGINT) throw interrupted();
    throw new Error(`It ended with status ${status}. Run it by hand to see why.`);
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', stop);
  }
}

function interrupted(): AuthcliError {
  return new AuthcliError('interrupted', 'Interrupted.');
}

async function outputOf({ stdout }: ChildProcess): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdout ?? []) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
