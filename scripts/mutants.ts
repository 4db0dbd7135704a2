/**
 * Shows what `verify` and `verify-service` find: `npm run mutants`, or `npm run mutants -- PART` for
 * the faults whose name contains PART.
 *
 * The emulated application and the emulated service are run with each of their faults in turn, and
 * so is a sign-in program with each of its mistakes: it is caught if the check that it names fails
 * with the diagnosis that it names. Then right ones in other styles, none of which may be blamed.
 * Exits with 1 if anything is missed.
 */
import { resolve } from 'node:path';
import { run } from 'node:test';
import { checks } from '../src/conformance/catalogue.ts';
import { serviceChecks } from '../src/conformance/service-catalogue.ts';
import { signinChecks } from '../src/conformance/signin-catalogue.ts';
import { type Mutant, mutants } from '../test/conformance/mutants.ts';
import { verifyService } from '../test/conformance/service-support.ts';
import { verifySignin } from '../test/conformance/signin-support.ts';
import { application, verify } from '../test/conformance/support.ts';
import { signinProgram } from '../test/support/signin-program.ts';
import { rightPrograms } from '../test/support/signin-wrong-programs.ts';

interface Row {
  readonly caught: boolean;
  readonly cells: readonly string[];
}

interface Outcome {
  readonly title: string;
  readonly passes: boolean;
}

/** Runs at the same time: more would slow each other down until responses seem late. */
const sideBySide = 2;

/** Those that are right, and aren't tests of their own. */
const references: readonly { readonly title: string; readonly verify: Mutant['verify'] }[] = [
  { title: 'the emulated application without a fault', verify: () => verify(application()) },
  { title: 'the emulated service without a fault', verify: () => verifyService() },
  ...rightPrograms.map((name) => ({
    title: `a sign-in program: ${name.replaceAll('-', ' ')}`,
    verify: () => verifySignin(signinProgram(name)),
  })),
];

const parts = process.argv.slice(2);
const tried = mutants.filter(
  ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
);
if (tried.length === 0) {
  process.stderr.write(`No fault matches ${parts.join(', ')}.\n`);
  process.exit(2);
}

const widths = [
  width(tried, ({ name }) => name),
  width(tried, ({ check }) => check),
  width(tried, ({ diagnosis = '' }) => diagnosis),
];

const start = performance.now();
const isWhole = parts.length === 0;
// Two processes: the right applications are tried while the faults are.
const variants = isWhole ? runVariants() : undefined;
write(['fault', 'check', 'diagnosis', '']);
const missed = await countMissed(inTurn(tried, tryMutant));
const right = variants === undefined ? [] : [...(await tryReferences()), ...(await variants)];
if (isWhole) process.stdout.write('\nright ones\n');
for (const { title, passes } of right) {
  process.stdout.write(`${passes ? 'passes' : 'BLAMED'}  ${title}\n`);
}
const blamed = right.filter(({ passes }) => !passes).length;
process.stdout.write(`\n${summary().join('\n')}\n`);
// The references alone would mean that the other applications were not run.
process.exitCode = missed > 0 || blamed > 0 || right.length === references.length ? 1 : 0;

async function tryMutant({ name, check, diagnosis, verify }: Mutant): Promise<Row> {
  const result = await verify();
  const failed = result.checks.filter(({ fault }) => fault !== undefined);
  const named = failed.find((each) => each.check.id === check);
  const seen = named?.fault?.diagnosis?.code;
  const caught = named !== undefined && seen === diagnosis;
  const others = failed.filter((each) => each !== named).map((each) => each.check.id);
  const also = others.length === 0 ? '' : `, and ${others.join(', ')}`;
  const instead = seen ?? named?.fault?.observed ?? 'nothing';
  const verdict = `${caught ? 'caught' : `MISSED, seen was ${instead}`}${also}`;
  return { caught, cells: [name, check, diagnosis ?? '', verdict] };
}

async function tryReferences(): Promise<readonly Outcome[]> {
  return Promise.all(
    inTurn(references, async ({ title, verify }) => {
      const { checks: results } = await verify();
      return { title, passes: results.every(({ status }) => status === 'passed') };
    }),
  );
}

/** Begins `work` on the items in their order, `sideBySide` at a time. */
function inTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): readonly Promise<Result>[] {
  const begun: Promise<Result>[] = [];
  for (const [index, item] of items.entries()) {
    const free = Promise.all(begun.slice(0, Math.max(0, index - sideBySide + 1)));
    begun.push(free.then(() => work(item)));
  }
  return begun;
}

/** Writes each row as soon as it and those before it are there; how many are missed. */
async function countMissed(rows: readonly Promise<Row>[]): Promise<number> {
  let missed = 0;
  for (const row of rows) {
    const { caught, cells } = await row;
    write(cells);
    if (!caught) missed += 1;
  }
  return missed;
}

/** The right applications are tests of their own, run in a process beside this one. */
async function runVariants(): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const stream = run({
    files: [resolve('test/conformance/variants.full.test.ts')],
    concurrency: 1,
  });
  for await (const { type, data } of stream) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details.type === 'suite') continue;
    outcomes.push({ title: data.name, passes: type === 'test:pass' });
  }
  return outcomes;
}

function summary(): readonly string[] {
  const seconds = Math.round((performance.now() - start) / 1000);
  const caught = tried.length - missed;
  const lines = [`${caught} of ${tried.length} faults caught, ${missed} missed, in ${seconds} s.`];
  if (!isWhole) return lines;
  const named = new Set(mutants.map(({ check }) => check));
  const all = [...checks, ...signinChecks, ...serviceChecks].map(({ id }) => id);
  const without = all.filter((id) => !named.has(id));
  return [
    ...lines,
    `${right.length - blamed} of ${right.length} right ones pass, ${blamed} blamed.`,
    `Checks that no fault is made for: ${without.join(', ') || 'none'}.`,
  ];
}

function write(cells: readonly string[]): void {
  const padded = cells.map((cell, index) => cell.padEnd(widths[index] ?? 0));
  process.stdout.write(`${padded.join('  ').trimEnd()}\n`);
}

function width<Item>(items: readonly Item[], cell: (item: Item) => string): number {
  return Math.max(...items.map((item) => cell(item).length));
}
