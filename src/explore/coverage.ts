/** Counts of pairs of an operation and the situation in which it was sent, in the order in which they were first reached. */
export class Coverage extends Map<string, number> {
  count(name: string, times = 1): void {
    this.set(name, this.of(name) + times);
  }

  of(name: string): number {
    return this.get(name) ?? 0;
  }
}

/** `registration/latest-key in known`, and whether others were under way at the same time. */
export function pairName(operation: string, state: string, isConcurrent: boolean): string {
  return `${operation} ${state} ${isConcurrent ? 'concurrent' : 'alone'}`;
}

/** A row for each pair that was covered. */
export function coveredPairs(coverage: Coverage) {
  return [...coverage].map(([name, count]) => {
    const [operation = '', state = '', together] = name.split(' ');
    return { operation, state, concurrent: together === 'concurrent', count };
  });
}
