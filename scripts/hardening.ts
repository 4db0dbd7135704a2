/**
 * Tries what hostile peers, faulty networks and faulty machines do, and prints a table of it:
 * `npm run hardening`, or `npm run hardening -- SECTION...`. `--quick` tries a sample that fits
 * into the pipeline, `--times N` repeats what must pass every time. The exit status is 1 where anything
 * crashed, hung, was lost, was shown or was blamed wrongly.
 */
import { parseArgs } from 'node:util';
import type { Row, SectionResult } from '../test/hardening/section.ts';
import { sections } from '../test/hardening/sections.ts';

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, times: { type: 'string' } },
  allowPositionals: true,
});
const { quick } = values;
const times = values.times === undefined ? undefined : Number(values.times);

const unknown = positionals.filter((name) => !sections.some((section) => section.name === name));
if (unknown.length > 0) {
  const names = sections.map(({ name }) => name).join(', ');
  process.stderr.write(`No section ${unknown.join(', ')}; there are ${names}.\n`);
  process.exit(2);
}

/** The most failures of one section that are printed. */
const shownFailures = 40;

function print(cells: readonly string[]): void {
  const [what = '', tried = '', outcome = '', seconds = ''] = cells;
  process.stdout.write(
    `${what.padEnd(44)}${tried.padStart(8)}   ${outcome.padEnd(20)}${seconds.padStart(7)}\n`,
  );
}

function printRow({ what, tried, count, outcome }: Row, startedAt: number): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  print([what, String(tried), `${count} ${outcome}`, seconds]);
}

function failuresOf({ rows, failures }: SectionResult): readonly string[] {
  const few = rows
    .filter(({ tried, atLeast }) => !quick && tried < atLeast)
    .map(({ what, tried, atLeast }) => `${what}: ${tried} tried, at least ${atLeast} wanted`);
  return [...failures, ...few];
}

let failed = 0;
print(['', 'tried', '', 'seconds']);
for (const { name, run } of sections) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const startedAt = performance.now();
  const result = await run({ quick, times });
  for (const row of result.rows) printRow(row, startedAt);
  const failures = failuresOf(result);
  failed += failures.length;
  for (const failure of failures.slice(0, shownFailures)) {
    process.stdout.write(`  FAILED ${name}: ${failure.replaceAll('\n', '\n    ')}\n`);
  }
  if (failures.length > shownFailures) {
    process.stdout.write(`  … and ${failures.length - shownFailures} more\n`);
  }
}
process.stdout.write(failed === 0 ? 'Everything passed.\n' : `${failed} failed.\n`);
process.exitCode = failed === 0 ? 0 : 1;
