import type { Coverage } from './coverage.ts';
import { type Dice, pickWeighted } from './dice.ts';

/** What decides between operations beside their weights. */
interface Preference<O> {
  /** How probable it is that those that were planned least often are preferred. */
  readonly curiosity: number;
  /** Under which name an operation is counted in the state of its user. */
  readonly nameOf: (operation: O) => string;
}

/** Picks one of the operations that fit a user, by their weights or by how rare they are, and counts it as planned. */
export function pickOperation<O extends { readonly weight: number }>(
  dice: Dice,
  fitting: readonly O[],
  { curiosity, nameOf }: Preference<O>,
  planned: Coverage,
): O | undefined {
  const weights = dice.chance(curiosity)
    ? fitting.map((operation) => 1000 / (1 + planned.of(nameOf(operation))))
    : fitting.map(({ weight }) => weight);
  const operation = pickWeighted(dice, fitting, weights);
  if (operation !== undefined) planned.count(nameOf(operation));
  return operation;
}
