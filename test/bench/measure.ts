import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Comparison, Effort } from './benchmark.ts';

/** A command that ends by itself, with status 0. */
export interface Command {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** On Node 20 reading these certificates takes longer than Node's whole start. */
const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;

/** Bash gives the CPU time of its children to the millisecond, on Linux and macOS alike; Node has no wait4. */
const timed = `TIMEFORMAT='%3U %3S'; output=$1 runs=$2; shift 2
time for ((run = 0; run < runs; run++)); do
  "$@" </dev/null >"$output" 2>&1 || exit 1
done`;

/** A file, as pipelines and people who save what they see have it. */
const output = join(mkdtempSync(join(tmpdir(), 'authcli-bench-output-')), 'output.txt');
process.on('exit', () => rmSync(dirname(output), { recursive: true }));

/** The CPU time of one run in milliseconds, user and system, averaged over that many. */
export function cpuTimeOf({ argv, env }: Command, runs: number): number {
  const words = ['-c', timed, 'bash', output, String(runs), ...argv];
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
