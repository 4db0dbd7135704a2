import { randomUUID } from 'node:crypto';
import { seededRandom } from './seeded-random.ts';

const times = Number(process.env.AUTHCLI_TEST_TIMES ?? 1);

/** Whether matrices are tried as a whole, as in `npm run test:release`. */
export const isThorough = times > 1;

/** How many cases a test draws: `count`, and more where they are tried as a whole. They follow from fixed seeds. */
export function draws(count: number): number {
  return Math.round(count * times);
}

/** What the samples of this process are drawn with. The names of tests have it, so that a failure can be repeated. */
export const sampleSeed = process.env.AUTHCLI_TEST_SEED ?? randomUUID().slice(0, 8);

/** `count` of all, others in each run; all of them where matrices are tried as a whole. */
export function sampled<Item>(all: readonly Item[], count: number): readonly Item[] {
  const { below } = seededRandom(sampleSeed);
  const rest = [...all];
  const wanted = isThorough ? rest.length : Math.min(count, rest.length);
  return Array.from({ length: wanted }, () => rest.splice(below(rest.length), 1)).flat();
}
