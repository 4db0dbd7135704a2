import { fail } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../src/cli/context.ts';
import { type ParentProcess, runChild } from '../../src/cli/process/children.ts';
import { runProgram } from '../../src/cli/program.ts';
import type { Prompts } from '../../src/cli/terminal/prompts.ts';
import { createTransport, createUpstream } from '../../src/client/transport.ts';
import { keyPairSource } from './key-pairs.ts';
import { startThreadHere } from './load-thread.ts';
import { searchOutput, watching } from './secret-scan.ts';
import { seededBytes } from './seeded-bytes.ts';

/** What a run left behind. */
export interface RunResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a test can change of a run. */
export interface RunEnvironment {
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly configFile: string;
  readonly isTerminal?: boolean;
  /** Of the terminal; 100 by default. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
  readonly context?: Partial<Context>;
  /** A user who answers questions: then the streams are a terminal. */
  readonly prompts?: Prompts;
  /** Called with standard output so far, whenever something is added. */
  readonly onStdout?: (text: string) => void;
}

/** What programs are started from, with `env` in their environment. */
export function parentProcess(env: Readonly<Record<string, string>> = {}): ParentProcess {
  return {
    env: { PATH: process.env.PATH, ...env },
    hasTerminal: false,
    atExit: () => () => {},
    os: process.platform,
    kill: (pid, signal) => process.kill(pid, signal),
  };
}

/** Takes what a run prints. */
interface Printed {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** What a command line in this process runs in: the same every time. */
export function contextIn(environment: RunEnvironment, printed: Printed): Context {
  const output = (write: (text: string) => void) => ({
    isTerminal: environment.isTerminal ?? environment.prompts !== undefined,
    columns: environment.columns ?? 100,
    write,
  });
  return {
    stdin: {
      isTerminal: environment.prompts !== undefined,
      chunks: () => Readable.from([Buffer.from(environment.stdin ?? '')]),
    },
    stdout: output(printed.stdout),
    stderr: output(printed.stderr),
    env: environment.env ?? {},
    cwd: environment.cwd ?? process.cwd(),
    script: 'authcli',
    version: '0.0.0-test',
    platform: { node: '22.0.0', openssl: '3.0.0', os: 'linux' },
    defaultConfigFile: () => environment.configFile,
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
    pause: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
    localTimeZone: () => 'UTC',
    machineNames: () => ['build-host.test', '192.168.7.20', 'shop.example.com', '8.8.8.8'],
    randomBytes: seededBytes('authcli'),
    generateKeyPair: keyPairSource(),
    openTransport: async (options) => createTransport(options),
    openUpstream: async (url, options) => createUpstream(url, options),
    loadThreads: async () => ({ start: startThreadHere, parallelism: 2 }),
    resources: () => ({ cpuMs: 0, peakMemoryBytes: 0 }),
    packageText: async (path) => {
      if (path === 'dist/ui.html') return '<style></style><script></script>';
      return readFile(path, 'utf8');
    },
    standardStreams: () => fail('no protocol is spoken over the standard streams'),
    runChild: (child) => runChild(child, parentProcess()),
    openPrompts: async () => environment.prompts ?? fail('nobody can be asked'),
    signal: environment.signal ?? new AbortController().signal,
    ...environment.context,
  };
}

/** Runs a command line in this process, in an environment that is the same every time. */
export async function run(
  argv: readonly string[],
  environment: RunEnvironment,
): Promise<RunResult> {
  let stdout = '';
  let stderr = '';
  const context = contextIn(environment, {
    stdout: (text) => {
      stdout += text;
      environment.onStdout?.(stdout);
    },
    stderr: (text) => {
      stderr += text;
    },
  });
  const { watched, made } = watching(context);
  const status = await runProgram(argv, watched);
  const { env, cwd } = context;
  const stdin = Buffer.from(environment.stdin ?? '').toString();
  const given = { argv, env, stdin, cwd, configFile: environment.configFile };
  await searchOutput(given, stdout + stderr, made());
  return { status, stdout, stderr };
}
