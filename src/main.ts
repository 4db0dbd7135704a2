import { randomBytes } from 'node:crypto';
import { accessSync, constants, readFileSync } from 'node:fs';
import { hostname, networkInterfaces, userInfo } from 'node:os';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from './cli/context.ts';
import { exitStatus } from './cli/exit-status.ts';
import { readsCommands, StandardOutput, unwrittenText } from './cli/process/standard-output.ts';
import { runProgram } from './cli/program.ts';
import type { TransportOptions } from './client/transport-options.ts';
import { preciseNow } from './clock.ts';
import { AuthcliError } from './errors.ts';
import { configFolder } from './state/config-folder.ts';

/**
 * Runs the command line of this process, and ends the process; one that is to stop is left to dieIfHeld.
 * `packageText` reads a file of the package, or of the executable that contains it.
 */
export async function runProcess(packageText: (path: string) => string): Promise<void> {
  process.setMaxListeners(0); // as many as there are children
  const context = new ProcessContext(packageText);
  process.exitCode = await context.end(await runProgram(process.argv.slice(2), context));
  if (!context.signal.aborted) process.exit();
}

/** Runs a thread of `load`: its job is the thread's data. */
export const runLoadThread = () => import('./load/worker.ts');

/** The process's streams, environment, clock and randomness. Nothing else reads `process`. */
class ProcessContext implements Context {
  readonly stdout = new StandardOutput(process.stdout, readsCommands(process.env));
  readonly stderr = new StandardOutput(process.stderr, readsCommands(process.env));
  readonly stdin = {
    get isTerminal() {
      return process.stdin.isTTY === true;
    },
    chunks: () => {
      // A writer that never ends must not keep a process that is to stop.
      this.signal.addEventListener('abort', () => process.stdin.destroy(), { once: true });
      return process.stdin;
    },
  };
  /** npm runs no executable, even where a script of it starts one: it is not called `npx authcli`. */
  readonly env = isSea() ? { ...process.env, npm_command: undefined } : process.env;
  readonly cwd = process.cwd();
  readonly script = (isSea() ? process.argv0 : process.argv[1]) ?? 'authcli';
  readonly platform = {
    node: process.versions.node,
    openssl: process.versions.openssl,
    os: process.platform,
    userId: process.getuid?.(),
  };
  readonly now = Date.now;
  readonly randomBytes = randomBytes;
  readonly signal = stopSignal();
  readonly #children = new Set<Promise<unknown>>();
  /** Not #private: what is derived from a context reads `version` too. */
  readonly readText: (path: string) => string;

  constructor(packageText: (path: string) => string) {
    this.readText = packageText;
  }

  get version(): string {
    return (JSON.parse(this.readText('package.json')) as { version: string }).version;
  }

  defaultConfigFile = (): string =>
    join(
      configFolder({ env: process.env, os: process.platform, home: accountHome, mayEnter }),
      'config.json',
    );
  machineNames = (): readonly string[] => [
    hostname(),
    ...Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address)),
  ];
  localTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

  generateKeyPair: Context['generateKeyPair'] = async (bits) => {
    const { generateKeyPair } = await import('./client/key-pair.ts');
    return generateKeyPair(bits);
  };

  pause: Context['pause'] = (milliseconds, signal) => delay(milliseconds, undefined, { signal });

  openTransport: Context['openTransport'] = async (options) => {
    await keepWasmPlain();
    const { createTransport } = await import('./client/transport.ts');
    return createTransport({ ...options, now: preciseNow, extraCa: extraCertificates(options) });
  };

  openUpstream: Context['openUpstream'] = async (url, options) => {
    const { createUpstream } = await import('./client/transport.ts');
    const extraCa = extraCertificates(options);
    return createUpstream(url, { ...options, now: preciseNow, extraCa });
  };

  openPrompts: Context['openPrompts'] = async ({ hasColours }) => {
    // What Node's styleText obeys, by which the package colours.
    if (!hasColours) process.env.FORCE_COLOR = '0';
    const { createPrompts } = await import('./cli/terminal/prompts.ts');
    const { stdin: input, stderr: output } = process;
    return createPrompts({ input, output, signal: this.signal });
  };

  packageText: Context['packageText'] = async (path) => this.readText(path);

  standardStreams: Context['standardStreams'] = () => ({
    input: process.stdin,
    output: process.stdout,
  });

  runChild: Context['runChild'] = async (child) => {
    const { runChild } = await import('./cli/process/children.ts');
    const running = runChild(child, {
      env: process.env,
      hasTerminal: process.stdin.isTTY === true,
      os: process.platform,
      kill: (pid, signal) => process.kill(pid, signal),
      atExit: (work) => {
        process.on('exit', work);
        return () => process.off('exit', work);
      },
    });
    this.#children.add(running);
    return running.finally(() => this.#children.delete(running));
  };

  loadThreads: Context['loadThreads'] = async () => {
    const { workerThreads } = await import('./load/run.ts');
    // A thread of an executable begins with the script that loads from it.
    return isSea()
      ? workerThreads(getAsset('bin/executable.js', 'utf8'), { eval: true })
      : workerThreads(join(import.meta.dirname, '..', 'bin', 'load-worker.js'));
  };

  resources: Context['resources'] = () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const peakMemoryBytes = peakMemoryOnLinux() ?? maxRSS * 1024;
    return { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMemoryBytes };
  };

  /** The exit status once all is written, unless writing failed; a reader that went away is not a failure. */
  async end(status: number): Promise<number> {
    await Promise.allSettled(this.#children);
    const written = Promise.all([this.stdout.end(), this.stderr.end()]);
    const failures = this.signal.aborted
      ? await Promise.race([written, delay(readMs, [], { ref: false })])
      : await written;
    if (this.signal.aborted) dieIfHeld(status);
    const [failure] = failures;
    if (failure === 'EPIPE') return exitStatus.done;
    if (failure !== undefined) {
      this.stderr.write(unwrittenText(failure));
      await this.stderr.end();
    }
    const failed = failures.some((code) => code !== undefined && code !== 'EPIPE');
    return failed ? exitStatus.config : status;
  }
}

/**
 * On Node 20 V8 optimises the WebAssembly of undici's parser at exit, for longer than a sign-up takes,
 * unless that is turned off before it meets it. A load's threads leave the choice to V8. To be removed on
 * 31 May 2027, when Node 20 is dropped.
 */
async function keepWasmPlain(): Promise<void> {
  if (Number.parseInt(process.versions.node, 10) >= 22) return;
  (await import('node:v8')).setFlagsFromString('--liftoff-only');
}

/** proc(5): VmHWM begins with the program, where maxRSS contains what the parent had when it forked. */
function peakMemoryOnLinux(): number | undefined {
  try {
    const [, kilobytes] =
      /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined; // another system
  }
}

/** What NODE_EXTRA_CA_CERTS names: Node itself drops it on some releases once other certificates are given. */
function extraCertificates({ ca }: TransportOptions): string | undefined {
  if (ca === undefined) return undefined;
  const file = process.env.NODE_EXTRA_CA_CERTS;
  try {
    return file ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined; // Node has warned of it at its start
  }
}

/** A signal that comes again within this time is the same one: a library that cleans up sends it on. */
const sameSignalMs = 500;

/**
 * Aborted by the first SIGINT, SIGTERM, SIGHUP or SIGQUIT; one that comes later ends the process at once. Also by
 * an error that nothing waits for, which is a bug: the run ends as with any other, its reports written.
 */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  let stoppedAt = 0;
  const on = (name: NodeJS.Signals, code: 'interrupted' | 'terminated', message: string): void => {
    process.on(name, () => {
      const isAgain = stop.signal.aborted && Date.now() - stoppedAt > sameSignalMs;
      if (isAgain) process.exit(exitStatus[code]);
      stoppedAt ||= Date.now();
      stop.abort(new AuthcliError(code, message));
    });
  };
  on('SIGINT', 'interrupted', 'Interrupted.');
  on('SIGTERM', 'terminated', 'Terminated.');
  on('SIGHUP', 'terminated', 'Terminated: the terminal was closed.');
  on('SIGQUIT', 'terminated', 'Terminated.');
  whenNpmEnds(() => stop.abort(new AuthcliError('terminated', 'Terminated: npm was ended.')));
  process.on('uncaughtException', (error) => {
    process.exitCode = exitStatus.internal; // where the run has ended before
    if (stop.signal.aborted) process.exit(exitStatus.internal);
    stop.abort(error);
  });
  return stop.signal;
}

const npmLooksMs = 250;

/** npm passes a signal only to the shell that it runs us in. Where that runs nothing else, its end is that of npm. */
function whenNpmEnds(stop: () => void): void {
  const runsAlone = /^(?:exec )?['"]?[^\s'"&;|]*authcli\b[^&;|\n]*$/;
  if (!runsAlone.test(process.env.npm_lifecycle_script ?? '')) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(), npmLooksMs).unref();
}

/** How long a process that is to stop waits for the readers of its output. */
const readMs = 3000;

/** How long what still runs may delay a process that is to stop. */
const heldMs = 500;

/** A named pipe that nothing opens at its other end blocks even process.exit for ever; a signal ends it. */
function dieIfHeld(status: number): void {
  const name = status === exitStatus.interrupted ? 'SIGINT' : 'SIGTERM';
  setTimeout(() => {
    if (status === exitStatus.internal) process.exit(status);
    process.removeAllListeners(name);
    process.kill(process.pid, name);
  }, heldMs).unref();
}

/** A folder that doesn't exist yet is made. */
function mayEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EACCES';
  }
}

/** Empty for a user ID that the system doesn't know, as in some containers. */
function accountHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return '';
  }
}
