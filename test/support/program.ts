import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { searchOutput } from './secret-scan.ts';

/** The program as it is built. */
export const bin = resolve('bin/authcli.js');

/** How a process ended. */
export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that runs; what it writes is collected. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Waits until it has written what matches, which it resolves with. */
  readonly says: (text: string | RegExp) => Promise<string>;
}

/** Where a program runs; the environment is added to that of the tests. */
interface Place {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Starts a program with streams of its own, as `spawn` does. */
export function start(command: string, args: readonly string[], place: Place = {}): Running {
  // npm_command says how npm started these tests: lines to repeat would begin with `npx authcli`.
  const env = { ...process.env, npm_command: undefined, NODE_EXTRA_CA_CERTS: '', ...place.env };
  const child = spawn(command, [...args], { cwd: place.cwd, env });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk) => {
      printed[name] += String(chunk);
    });
  const shown = () => printed.stdout + printed.stderr;
  const ended = once(child, 'close').then(async ([status, signal]) => {
    await searchOutput(givenTo(args, env, place.cwd), shown());
    return { status, signal, ...printed };
  });
  const says = async (text: string | RegExp): Promise<string> => {
    for (;;) {
      const found = shown().match(text);
      if (found !== null) return found[0];
      if (child.exitCode !== null) throw new Error(`ended before it said ${text}: ${shown()}`);
      await delay(10);
    }
  };
  return { child, ended, says };
}

/** What the program was given, where it is the one that was started; of a shell its state alone is known. */
function givenTo(args: readonly string[], env: NodeJS.ProcessEnv, cwd = process.cwd()) {
  const own = args.indexOf(bin);
  const shows = /--show-secrets|users export/.test(args.join(' '));
  const argv = own >= 0 ? args.slice(own + 1) : shows ? ['--show-secrets'] : [];
  return { argv, env, stdin: '', cwd };
}

/** Runs the built program through a shell, for redirections and pipelines; `$authcli` is the program. */
export function shell(script: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const words = { authcli: `${process.execPath} ${bin}`, ...env };
  const running = start('bash', ['-c', script], { env: words });
  running.child.stdin?.end();
  return running.ended;
}

/** Whether a process of that id is at work; one that only waits for its parent isn't. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync('/proc/self');
  }
}
