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
