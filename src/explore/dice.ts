/** Where the choices of a drawing come from. */
export interface Dice {
  /** A whole number, both ends included. */
  readonly between: (min: number, max: number) => number;
  readonly chance: (probability: number) => boolean;
}

/** One of the items, all as likely. */
export function pick<T>({ between }: Dice, items: readonly T[]): T {
  return items[between(0, items.length - 1)] as T;
}

/** One of the items, each as likely as its weight says; undefined if all weigh nothing. */
export function pickWeighted<T>(
  { between }: Dice,
  items: readonly T[],
  weights: readonly number[],
): T | undefined {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = (between(0, 999_999) / 1_000_000) * total;
  return items.find((_, index) => {
    left -= weights[index] ?? 0;
    return left < 0;
  });
}
