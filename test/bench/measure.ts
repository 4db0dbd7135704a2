import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Installation } from './installation.ts';

/** What a benchmark came to: two costs measured by turns, and how they compare. */
export interface Comparison {
  /** The median over the rounds of the cost divided by that of what it is compared with. */
  readonly ratio: number;
  /** The quartiles of the rounds: what the noise of the machine makes of it. */
  readonly spread: readonly [low: number, high: number];
  /** The medians, milliseconds of CPU time. */
  readonly ms: number;
  readonly againstMs: number;
  /** What it came to, where that is not CPU time. */
  readonly cost?: string;
}

/** Why a benchmark can't be run here. */
export interface LeftOut {
  readonly leftOut: string;
}

/** `once` shows that the benchmarks run, `quick` says roughly what `whole` measures. */
export type Extent = 'once' | 'quick' | 'whole';

/** How long to measure. */
export interface Effort {
  readonly extent: Extent;
  readonly rounds: number;
  /** Runs of a command within a round. */
  readonly runs: number;
  /** Users for what has to work with many of them. */
  readonly manyUsers: number;
}

/** One figure that authcli promises. To add one is to add it to the list in run.ts. */
export interface Benchmark {
  readonly name: string;
  /** What it is compared with, in words. */
  readonly against: string;
  /** Absent where the figure is for orientation alone. */
  readonly goal?: { readonly atMost: number } | { readonly atLeast: number };
  readonly run: (installed: Installation, effort: Effort) => Promise<Comparison | LeftOut>;
}

/** A command that ends by itself, with status 0. */
export interface Command {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** On Node 20 reading these certificates takes longer than Node's whole start. */
const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;

/** Bash gives the CPU time of its children to the millisecond, on Linux and macOS alike; Node has no wait4. */
const timedByBash = `TIMEFORMAT='%3U %3S'; output=$1 runs=$2; shift 2
time for ((run = 0; run < runs; run++)); do
  "$@" </dev/null >"$output" 2>&1 || exit 1
done`;

/** A file, as pipelines and people who save what they see have it. */
const output = join(mkdtempSync(join(tmpdir(), 'authcli-bench-output-')), 'output.txt');
process.on('exit', () => rmSync(dirname(output), { recursive: true }));

/** The CPU time of one run in milliseconds, user and system, averaged over that many. */
export function cpuTimeOf({ argv, env }: Command, runs: number): number {
  const words = ['-c', timedByBash, 'bash', output, String(runs), ...argv];
  const { status, stderr } = spawnSync('bash', words, {
    encoding: 'utf8',
    env: { ...environment, LC_ALL: 'C', ...env },
  });
  const [user, system] = stderr.trim().split(' ').map(Number);
  if (status !== 0 || user === undefined || system === undefined) {
    throw new Error(`this command failed: ${argv.join(' ')}`);
  }
  return ((user + system) * 1000) / runs;
}

/** Runs before the measured ones: by the third, Node has cached what it compiled. */
const firstRuns = 2;

/**
 * The CPU time of `commands`, all of them together, compared with that of `base`. Both are measured
 * by turns, so that whatever else the machine does meets both, and each round gives a ratio.
 */
export function compare(
  commands: Command | readonly Command[],
  base: Command | readonly Command[],
  { rounds, runs }: Pick<Effort, 'rounds' | 'runs'>,
): Comparison {
  const total = (all: Command | readonly Command[]): number =>
    [all].flat().reduce((sum, command) => sum + cpuTimeOf(command, runs), 0);
  for (const command of [commands, base].flat()) cpuTimeOf(command, firstRuns);
  return compareValues(rounds, {
    own: () => total(commands),
    against: () => total(base),
    ratio: (own, against) => own / against,
  });
}

/** Two costs in milliseconds, measured by turns; each round gives a ratio of them. */
export function compareValues(
  rounds: number,
  measure: {
    readonly own: () => number;
    readonly against: () => number;
    readonly ratio: (own: number, against: number) => number;
  },
): Comparison {
  const results = Array.from({ length: rounds }, () => {
    const against = measure.against();
    return { against, own: measure.own() };
  });
  const ratios = results.map(({ own, against }) => measure.ratio(own, against));
  const median = (values: readonly number[]): number => quantile(values, 0.5);
  return {
    ratio: median(ratios),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    ms: median(results.map(({ own }) => own)),
    againstMs: median(results.map(({ against }) => against)),
  };
}

/** The value below which a share of the values is, between two of them where it falls there. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (sorted.length - 1) * share;
  const [low = 0, high = 0] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}

/** What was measured once, and may be no time: memory, or exchanges a second. */
export function once(ratio: number, cost: string, ms = 0, againstMs = 0): Comparison {
  return { ratio, spread: [ratio, ratio], ms, againstMs, cost };
}

/** The milliseconds that some work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Sends a body with POST, or asks with GET; rejects for any status but 200. */
export function send(url: string, agent: Agent, body?: string): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json;charset=utf-8' };
  const sent = request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers });
  sent.end(body);
  return new Promise((resolve, reject) => {
    sent.on('response', (response) => {
      if (response.statusCode === 200) resolve(response);
      else reject(new Error(`${url} responded with HTTP ${response.statusCode}`));
    });
    sent.on('error', reject);
  });
}

export async function fetchText(url: string, agent: Agent, body?: string): Promise<string> {
  return text(await send(url, agent, body));
}
