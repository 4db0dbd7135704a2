import { fc } from '../support/fast-check.ts';
import { fileTargets } from './file-targets.ts';
import { keyTargets } from './key-targets.ts';
import { messageTargets } from './message-targets.ts';
import { mutated } from './mutated.ts';
import { feed, type Target } from './target.ts';

/** Every parser of input from outside. */
export const targets: readonly Target[] = [...messageTargets, ...keyTargets, ...fileTargets];

/** How many cases each of the targets gets of `total`, by its share and at least four. */
export function casesOf(total: number, chosen: readonly Target[] = targets): Map<Target, number> {
  const shares = chosen.reduce((sum, { share = 1 }) => sum + share, 0);
  return new Map(
    chosen.map((target) => [
      target,
      Math.max(4, Math.ceil((total * (target.share ?? 1)) / shares)),
    ]),
  );
}

/** Feeds a target with `runs` edited samples; rejects with the smallest input that breaks it. */
export async function fuzz(target: Target, runs: number, seed?: number): Promise<void> {
  const property = fc.asyncProperty(mutated(target.samples), (bytes) => feed(target, bytes));
  await fc.assert(property, { numRuns: runs, ...(seed !== undefined && { seed }) });
}
