import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildWorld } from './cli/child-process.ts';
import type { Context } from './cli/context.ts';
import { exitStatus } from './cli/exit-status.ts';
import { ProcessOutput } from './cli/process-output.ts';
import { runProgram } from './cli/program.ts';
import { Canceller } from './client/cancellation.ts';
import { AuthcliError } from './errors.ts';

/**
 * Runs authcli: `argv` without the program's own words, against the world that `context` gives.
 * Returns the exit status and throws nothing.
 */
export async function main(
  argv: readonly string[] = process.argv.slice(2),
  context: Context = processContext(),
): Promise<number> {
  const status = await runProgram(argv, context);
  return context instanceof ProcessContext ? context.end(status) : status;
}

/**
 * Runs authcli as this process, and ends it: in the turn of the event loop that Node would still make,
 * V8 collects what the end frees anyway. A process that was told to stop is left to what ends it; then
 * the exit status is returned.
 */
export async function runProcess(): Promise<number> {
  const context = new ProcessContext();
  const status = await main(process.argv.slice(2), context);
  if (!context.stop.aborted) process.exit(status);
  return status;
}

/** proc(5): VmHWM begins with the program, where maxRSS holds what the parent had when it forked. */
function peakMemoryOnLinux(): number | undefined {
  try {
    const [, kilobytes] =
      /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined; // another system
  }
}

/** The real world: the process's streams, environment, clock and randomness. Nothing else reads `process`. */
function processContext(): Context {
  return new ProcessContext();
}

class ProcessContext implements Context {
  readonly stdout = new ProcessOutput({ descriptor: 1, open: () => process.stdout, isDirect });
  readonly stderr = new ProcessOutput({ descriptor: 2, open: () => process.stderr, isDirect });
  readonly stdin = {
    get isTerminal() {
      return process.stdin.isTTY === true;
    },
    read: () => readStdin(this.signal),
  };
  readonly env = process.env;
  readonly cwd = process.cwd();
  readonly platform = {
    node: process.versions.node,
    openssl: process.versions.openssl,
    os: process.platform,
  };
  readonly now = Date.now;
  readonly randomBytes = randomBytes;
  readonly stop = stopOnSignals();
  readonly #children: Promise<unknown>[] = [];

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  get version(): string {
    const text = readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8');
    return (JSON.parse(text) as { version: string }).version;
  }

  defaultConfigFile = (): string => join(configDirectory(), 'config.json');
  localTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

  generateKeyPair: Context['generateKeyPair'] = async (bits, primes) => {
    const { generateKeyPair } = await import('./client/key-pair.ts');
    return generateKeyPair(bits, primes);
  };

  openTransport: Context['openTransport'] = async (options) => {
    const { createTransport } = await import('./client/transport.ts');
    const extraCa = options.ca === undefined ? undefined : extraCertificates();
    return createTransport({ ...options, now: preciseClock(), extraCa });
  };

  openPrompts: Context['openPrompts'] = async (look) => {
    const { createPrompts } = await import('./cli/prompts.ts');
    const { stdin: input, stderr: output } = process;
    return createPrompts({ input, output, signal: this.signal }, look);
  };

  /** The build makes it. */
  pageHtml: Context['pageHtml'] = async () =>
    readFileSync(join(import.meta.dirname, '..', 'dist', 'ui.html'), 'utf8');

  runChild: Context['runChild'] = async (child) => {
    const { runChildCommand } = await import('./cli/child-process.ts');
    const ended = runChildCommand(child, childWorld());
    this.#children.push(ended);
    return ended;
  };

  firstLineOf: Context['firstLineOf'] = async (command, args) => {
    const { firstLineOfCommand } = await import('./cli/child-process.ts');
    return firstLineOfCommand(command, args, this.signal, childWorld());
  };

  runWatched: Context['runWatched'] = async (child) => {
    const { runWatched } = await import('./cli/watched-child.ts');
    const ended = runWatched(child, childWorld());
    this.#children.push(ended);
    return ended;
  };

  loadThreads: Context['loadThreads'] = async () => {
    const { workerThreads } = await import('./load/start-worker.ts');
    return workerThreads(join(import.meta.dirname, '..', 'dist', 'load-worker.cjs'));
  };

  get artilleryProcessor(): string {
    return join(import.meta.dirname, '..', 'dist', 'artillery', 'processor.mjs');
  }

  resources: Context['resources'] = () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const peakMemoryBytes = peakMemoryOnLinux() ?? maxRSS * 1024;
    return { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMemoryBytes };
  };

  /** The exit status, unless writing the output failed; a reader that went away is no failure. */
  async end(status: number): Promise<number> {
    await Promise.allSettled(this.#children);
    const written = Promise.all([this.stdout.end(), this.stderr.end()]);
    const failures = this.stop.aborted ? await Promise.race([written, notRead()]) : await written;
    if (this.stop.aborted) dieIfHeld(status);
    const failed = failures.some((code) => code !== undefined && code !== 'EPIPE');
    return failures[0] === 'EPIPE' ? exitStatus.done : failed ? exitStatus.localState : status;
  }
}

/** Windows has consoles that take text alone. */
const isDirect = process.platform !== 'win32';

/**
 * Milliseconds since the epoch, with fractions: durations are its differences. Node loads seven
 * modules of its own when `performance` is first named, and none for this.
 */
function preciseClock(): () => number {
  const [time, tick] = [Date.now(), process.hrtime.bigint()];
  return () => time + Number(process.hrtime.bigint() - tick) / 1e6;
}

/** What NODE_EXTRA_CA_CERTS names: Node itself drops it on some releases once other certificates are given. */
function extraCertificates(): string | undefined {
  const file = process.env.NODE_EXTRA_CA_CERTS;
  try {
    return file ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined; // Node has warned of it at its start
  }
}

async function readStdin(signal: AbortSignal): Promise<Uint8Array> {
  // Whoever writes to it may take for ever: it must not keep a process that was told to stop.
  signal.addEventListener('abort', () => process.stdin.destroy(), { once: true });
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A signal that comes again so soon is the same one: a library that cleans up sends it on. */
const sameSignalMs = 500;

/**
 * Asked for by the first SIGINT, SIGTERM or SIGHUP; one that comes later ends the process at once. Also by an error that
 * nobody waits for, which is a bug: the run ends as with any other, its reports written.
 */
function stopOnSignals(): Canceller {
  const stop = new Canceller();
  let stoppedAt = 0;
  const on = (name: NodeJS.Signals, reason: AuthcliError, status: number): void => {
    process.on(name, () => {
      if (stop.aborted && Date.now() - stoppedAt > sameSignalMs) process.exit(status);
      stoppedAt ||= Date.now();
      stop.cancel(reason);
    });
  };
  on('SIGINT', new AuthcliError('interrupted', 'Interrupted.'), exitStatus.interrupted);
  on('SIGTERM', new AuthcliError('terminated', 'Terminated.'), exitStatus.terminated);
  const hungUp = new AuthcliError('terminated', 'Terminated: the terminal was closed.');
  on('SIGHUP', hungUp, exitStatus.terminated);
  process.on('uncaughtException', (error) => {
    if (stop.aborted) process.exit(exitStatus.bug);
    stop.cancel(error);
  });
  return stop;
}

/** How long a process that was told to stop waits for those who read its output. */
const readMs = 3000;

function notRead(): Promise<readonly undefined[]> {
  return new Promise((resolve) => {
    setTimeout(() => resolve([]), readMs).unref();
  });
}

/** How long what still runs may hold a process that was told to stop. */
const heldMs = 500;

/**
 * A named pipe that nobody opens at its other end holds the process for ever, and no exit waits for
 * less: then the signal is let through.
 */
function dieIfHeld(status: number): void {
  const name = status === exitStatus.interrupted ? 'SIGINT' : 'SIGTERM';
  setTimeout(() => {
    if (status === exitStatus.bug) process.exit(status);
    process.removeAllListeners(name);
    process.kill(process.pid, name);
  }, heldMs).unref();
}

/** Where settings are kept by the custom of the system: XDG, Application Support, or AppData. */
function configDirectory(): string {
  const { env, platform } = process;
  const home = env.HOME ?? env.USERPROFILE ?? process.cwd();
  if (platform === 'win32')
    return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'authcli', 'Config');
  if (platform === 'darwin') return join(home, 'Library', 'Preferences', 'authcli');
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'authcli');
}

function childWorld(): ChildWorld {
  return {
    env: process.env,
    hasTerminal: process.stdin.isTTY === true,
    atExit: (work) => {
      process.on('exit', work);
      return () => process.off('exit', work);
    },
  };
}
