import { spawnSync } from 'node:child_process';
import { once as event } from 'node:events';
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

/** How long to measure: `once` shows that the benchmarks run, `quick` says roughly what `whole` measures. */
export const efforts = {
  once: {
    rounds: 1,
    runs: 1,
    longRounds: 1,
    manyUsers: 100,
    logMegabytes: 4,
    signUps: 400,
    longLoad: 200,
    alone: 20,
    hostile: 100,
  },
  quick: {
    rounds: 5,
    runs: 2,
    longRounds: 1,
    manyUsers: 10_000,
    logMegabytes: 200,
    signUps: 40_000,
    longLoad: 2000,
    alone: 150,
    hostile: 1000,
  },
  whole: {
    rounds: 21,
    runs: 4,
    longRounds: 5,
    manyUsers: 100_000,
    logMegabytes: 200,
    signUps: 40_000,
    longLoad: 1e6,
    alone: 3000,
    hostile: 5000,
  },
};
export type Effort = typeof efforts.once;

/** One figure that authcli promises. */
export interface Benchmark {
  readonly name: string;
  /** What it is compared with, in words. */
  readonly against: string;
  readonly goal: { readonly atMost: number } | { readonly atLeast: number };
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
export function cpuTimeOf({ argv, env }: Command, runs = 1): number {
  const words = ['-c', timedByBash, 'bash', output, String(runs), ...argv];
  const { status, stderr } = spawnSync('bash', words, {
    encoding: 'utf8',
    env: { ...environment, LC_ALL: 'C', ...env },
  });
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(' ').map(Number);
  if (status !== 0) throw new Error(`this command failed: ${argv.join(' ')}`);
  return ((user + system) * 1000) / runs;
}

/** The cost of one of many: that of a run, less that of a quarter of it, which has the same start and compilation. */
export function costOfOne(count: number, costOf: (count: number) => number): number {
  const few = Math.round(count / 4);
  const before = costOf(few);
  return (costOf(count) - before) / (count - few);
}

/** Runs before the measured ones: by the third, Node has cached what it compiled. */
const firstRuns = 2;

/**
 * The CPU time of a command compared with that of another. Both are measured by turns, so that
 * whatever else the machine does meets both, and each round gives a ratio.
 */
export function compare(own: Command, against: Command, { rounds, runs }: Effort): Comparison {
  for (const command of [own, against]) cpuTimeOf(command, firstRuns);
  return compareCosts(
    rounds,
    () => cpuTimeOf(own, runs),
    () => cpuTimeOf(against, runs),
  );
}

/** Two costs in milliseconds, measured by turns; each round gives a ratio of them. */
export function compareCosts(
  rounds: number,
  own: () => number,
  against: () => number,
  ratioOf = (ownMs: number, againstMs: number) => ownMs / againstMs,
): Comparison {
  const results = Array.from({ length: rounds }, () => {
    const againstMs = against();
    return [own(), againstMs] as const;
  });
  const of = (share: number, pick: (own: number, against: number) => number) =>
    quantile(
      results.map(([ownMs, againstMs]) => pick(ownMs, againstMs)),
      share,
    );
  return {
    ratio: of(0.5, ratioOf),
    spread: [of(0.25, ratioOf), of(0.75, ratioOf)],
    ms: of(0.5, (ownMs) => ownMs),
    againstMs: of(0.5, (_, againstMs) => againstMs),
  };
}

/** How often one cost is in another: the ratio of what is fast enough is at least its goal. */
export const speedRatio = (ownMs: number, againstMs: number): number => againstMs / ownMs;

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

/** The response to a body that is sent with POST; rejects for any status but 200. */
export async function fetchText(url: string, agent: Agent, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json;charset=utf-8' };
  const sent = request(url, { agent, method: 'POST', headers }).end(body);
  const [response] = (await event(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${url}: HTTP ${response.statusCode}`);
  return text(response);
}

/** A callback of the service. */
export function callback(usedType: '1' | '2', ptnCd: string, fields: object): string {
  const user = { client_id: 'authcli-client', used_type: usedType, ptn_cd: ptnCd };
  return JSON.stringify({ ...user, ...fields });
}
