import { createHash } from 'node:crypto';
import { sampleSeed } from '../support/draws.ts';
import { fc } from '../support/fast-check.ts';
import { fileTargets } from './file-targets.ts';
import { keyTargets } from './key-targets.ts';
import { messageTargets } from './message-targets.ts';
import { mutated } from './mutated.ts';
import { feed, type Target } from './target.ts';

/** Every parser of input from outside. */
const targets: readonly Target[] = [...messageTargets, ...keyTargets, ...fileTargets];

const seed = createHash('sha256').update(sampleSeed).digest().readInt32BE();

/** How many cases each of the targets gets of `total`, by its share and at least four. */
export function casesOf(total: number): Map<Target, number> {
  const shares = targets.reduce((sum, { share = 1 }) => sum + share, 0);
  return new Map(
    targets.map((target) => [
      target,
      Math.max(4, Math.ceil((total * (target.share ?? 1)) / shares)),
    ]),
  );
}

/** Feeds a target with `runs` edited samples; rejects with the smallest input that breaks it. */
export async function fuzz(target: Target, runs: number): Promise<void> {
  const property = fc.asyncProperty(mutated(target.samples), (bytes) => feed(target, bytes));
  await fc.assert(property, { numRuns: runs, seed });
}
