import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

/** What one run of a command left behind. */
export interface Ended {
  /** The exit status; null where it had to be killed. */
  readonly status: number | null;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly durationMs: number;
  /** The most memory that was resident, in bytes; absent for a run in this process. */
  readonly peakBytes?: number;
}

const bin = resolve('bin/authcli.js');
const meter = resolve('test/hardening/hostile/peak-memory.cjs');

/** Nothing may take longer than this, however busy the machine is. */
const hangsAfterMs = 240_000;

/** Runs the installed program as a process of its own, under the Node of this one. */
export async function runProcess(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--require', meter, bin, ...argv], {
    env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    timeout: hangsAfterMs,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr, peak] = [1, 2, 3].map((number) => collect(child, number));
  const status = await new Promise<number | null>((done) => child.on('close', done));
  const peakBytes = Number(Buffer.concat((await peak) ?? []).toString()) || undefined;
  return {
    status,
    stdout: Buffer.concat((await stdout) ?? []),
    stderr: Buffer.concat((await stderr) ?? []),
    durationMs: performance.now() - startedAt,
    peakBytes,
  };
}

async function collect(child: ChildProcess, descriptor: number): Promise<Buffer[]> {
  const stream = child.stdio[descriptor];
  const chunks: Buffer[] = [];
  if (stream === null || stream === undefined || !('on' in stream)) return chunks;
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((done) => stream.on('close', done));
  return chunks;
}
