/** Counts of pairs of an operation and the situation in which it was sent. */
export class Coverage {
  readonly #counts = new Map<string, number>();

  count(name: string, times = 1): void {
    this.#counts.set(name, this.of(name) + times);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** In the order in which they were first reached. */
  get entries(): ReadonlyMap<string, number> {
    return this.#counts;
  }
}

/** `registration/latest-key in known`, and whether others were under way at the same time. */
export function pairName(operation: string, state: string, isConcurrent: boolean): string {
  return `${operation} ${state} ${isConcurrent ? 'concurrent' : 'alone'}`;
}

/** One row of what was covered. */
export interface CoveredPair {
  readonly operation: string;
  readonly state: string;
  readonly concurrent: boolean;
  readonly count: number;
}

export function coveredPairs(coverage: Coverage): readonly CoveredPair[] {
  return [...coverage.entries].map(([name, count]) => {
    const [operation = '', state = '', together] = name.split(' ');
    return { operation, state, concurrent: together === 'concurrent', count };
  });
}
