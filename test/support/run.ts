import { fail } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Context } from '../../src/cli/context.ts';
import { runProgram } from '../../src/cli/program.ts';
import type { Prompts } from '../../src/cli/questions.ts';
import { runWatched } from '../../src/cli/watched-child.ts';
import { generateKeyPair } from '../../src/client/key-pair.ts';
import { createTransport } from '../../src/client/transport.ts';
import { startThreadHere } from './load-thread.ts';
import { searchOutput } from './secret-scan.ts';
import { SecretsMade } from './secrets-made.ts';

/** What a run left behind. */
export interface RunResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a test can change of the world. */
export interface World {
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly configFile: string;
  readonly isTerminal?: boolean;
  /** Of the terminal; 100 unless told. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
  readonly context?: Partial<Context>;
  /** Somebody who answers questions: then the streams are a terminal. */
  readonly prompts?: Prompts;
  /** Called with what stands on standard output so far, whenever something is added. */
  readonly onStdout?: (text: string) => void;
}

/** Random bytes that are the same in every run: SHA-256 in counter mode over a seed. */
export function seededBytes(seed = 'authcli'): (size: number) => Uint8Array {
  let counter = 0;
  return (size) => {
    const blocks: Buffer[] = [];
    for (let length = 0; length < size; length += 32) {
      blocks.push(createHash('sha256').update(`${seed}:${counter}`).digest());
      counter += 1;
    }
    return Buffer.concat(blocks).subarray(0, size);
  };
}

/** Runs a command line in this process, against a world that is the same every time. */
export async function run(argv: readonly string[], world: World): Promise<RunResult> {
  let stdout = '';
  let stderr = '';
  const output = (take: (text: string) => void) => ({
    isTerminal: world.isTerminal ?? world.prompts !== undefined,
    columns: world.columns ?? 100,
    write: take,
  });
  const signal = world.context?.signal ?? world.signal ?? new AbortController().signal;
  const context: Context = {
    stdin: {
      isTerminal: world.prompts !== undefined,
      read: async () => Buffer.from(world.stdin ?? ''),
    },
    stdout: output((text) => {
      stdout += text;
      world.onStdout?.(stdout);
    }),
    stderr: output((text) => {
      stderr += text;
    }),
    env: world.env ?? {},
    cwd: world.cwd ?? process.cwd(),
    version: '0.0.0-test',
    platform: { node: '22.0.0', openssl: '3.0.0', os: 'linux' },
    defaultConfigFile: () => world.configFile,
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
    localTimeZone: () => 'UTC',
    randomBytes: seededBytes(),
    generateKeyPair,
    openTransport: async (options) => createTransport({ ...options, leavesIdle: false }),
    loadThreads: async () => ({ start: startThreadHere, parallelism: 2 }),
    artilleryProcessor: resolve('dist/artillery/processor.mjs'),
    resources: () => ({ cpuMs: 0, peakMemoryBytes: 0 }),
    pageHtml: async () => '<style></style><script></script>',
    runChild: async () => 0,
    firstLineOf: async () => '',
    runWatched: (child) =>
      runWatched(child, { env: { PATH: process.env.PATH }, atExit: () => () => {} }),
    openPrompts: async () => world.prompts ?? fail('nobody can be asked'),
    signal,
    stop: signal,
    ...world.context,
  };
  const made = new SecretsMade();
  const status = await runProgram(argv, made.watching(context));
  const { env, cwd } = context;
  const stdin = Buffer.from(world.stdin ?? '').toString();
  const given = { argv, env, stdin, cwd, configFile: world.configFile };
  await searchOutput(given, stdout + stderr, made.found());
  return { status, stdout, stderr };
}
