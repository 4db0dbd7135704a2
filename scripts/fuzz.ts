/**
 * Feeds every parser with samples that were edited at random: `npm run fuzz`, or `npm run fuzz --
 * NAME...` for the targets whose names contain one of these. `--runs N` (100,000 by default) is the
 * number of cases, `--seed N` repeats a run.
 */
import { parseArgs } from 'node:util';
import { casesOf, fuzz, targets } from '../test/fuzz/fuzz.ts';

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '100000' }, seed: { type: 'string' } },
  allowPositionals: true,
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const chosen = targets.filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
let tried = 0;
let failed = 0;

process.stdout.write(`seed ${seed}\n`);
for (const [target, runs] of casesOf(Number(values.runs), chosen)) {
  const startedAt = performance.now();
  const outcome = await fuzz(target, runs, seed).then(
    () => 'passed',
    (error: unknown) => `FAILED\n${messageOf(error).slice(0, 2000)}`,
  );
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  tried += runs;
  failed += outcome === 'passed' ? 0 : 1;
  process.stdout.write(
    `${target.name.padEnd(32)}${String(runs).padStart(8)}${seconds.padStart(8)} s  ${outcome}\n`,
  );
}
process.stdout.write(`${tried} cases, ${failed} targets failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** What failed, and why: fast-check gives the input, its cause the assertion. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${messageOf(error.cause)}\n${error.message}`;
}
