/**
 * Shows what `verify` finds: `npm run mutants`, or `npm run mutants -- PART` for the faults whose
 * name holds PART.
 *
 * The emulated application is run with each of its faults in turn, and the catalogue against it: a
 * fault is caught if the check that it names fails with the diagnosis that it names. Then right
 * applications in other styles, none of which may be blamed. Exits with 1 if anything is missed.
 */
import { resolve } from 'node:path';
import { run } from 'node:test';
import { checks } from '../src/conformance/catalogue.ts';
import { type ApplicationFault, applicationFaults } from '../src/emulator/faults.ts';
import { application, type RunChanges, verify } from '../test/conformance/support.ts';

interface Row {
  readonly caught: boolean;
  readonly cells: readonly string[];
}

interface Outcome {
  readonly title: string;
  readonly passes: boolean;
}

/** Runs at the same time: more would slow each other down until answers seem late. */
const sideBySide = 2;

/** What a run against the fault is changed in, to be short. */
const changes: Readonly<Record<string, RunChanges>> = {
  slow: { check: ['protocol/response-time'], timeoutMs: 6000 },
  silent: { timeoutMs: 300 },
};

const parts = process.argv.slice(2);
const faults = applicationFaults.filter(
  ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
);
if (faults.length === 0) {
  process.stderr.write(`No fault of the application matches ${parts.join(', ')}.\n`);
  process.exit(2);
}

const widths = [
  width(faults, ({ name }) => name),
  width(faults, ({ check }) => check),
  width(faults, ({ diagnosis }) => diagnosis),
];

const start = performance.now();
const isWhole = parts.length === 0;
// Two processes: the right applications are tried while the faults are.
const variants = isWhole ? runVariants() : undefined;
write(['fault', 'check', 'diagnosis', '']);
const missed = await countMissed(inTurn(faults, tryFault));
const right = variants === undefined ? [] : [await tryReference(), ...(await variants)];
if (isWhole) process.stdout.write('\nright applications\n');
for (const { title, passes } of right) {
  process.stdout.write(`${passes ? 'passes' : 'BLAMED'}  ${title}\n`);
}
const blamed = right.filter(({ passes }) => !passes).length;
process.stdout.write(`\n${summary().join('\n')}\n`);
// The reference application alone would mean that the others were not run.
process.exitCode = missed > 0 || blamed > 0 || right.length === 1 ? 1 : 0;

async function tryFault({ name, check, diagnosis }: ApplicationFault): Promise<Row> {
  const result = await verify(application(name), changes[name]);
  const failed = result.checks.filter(({ fault }) => fault !== undefined);
  const named = failed.find((each) => each.check.id === check);
  const seen = named?.fault?.diagnosis?.code ?? named?.fault?.observed ?? 'nothing';
  const caught = seen === diagnosis;
  const others = failed.filter((each) => each !== named).map((each) => each.check.id);
  const also = others.length === 0 ? '' : `, and ${others.join(', ')}`;
  const verdict = `${caught ? 'caught' : `MISSED, seen was ${seen}`}${also}`;
  return { caught, cells: [name, check, diagnosis, verdict] };
}

async function tryReference(): Promise<Outcome> {
  const { checks } = await verify(application());
  const passes = checks.every(({ status }) => status === 'passed');
  return { title: 'the emulated application without a fault', passes };
}

/** Begins `work` on the items in their order, so many at a time. */
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
  const stream = run({ files: [resolve('test/conformance/variants.test.ts')], concurrency: 1 });
  for await (const { type, data } of stream) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details.type === 'suite') continue;
    outcomes.push({ title: data.name, passes: type === 'test:pass' });
  }
  return outcomes;
}

function summary(): readonly string[] {
  const seconds = Math.round((performance.now() - start) / 1000);
  const caught = faults.length - missed;
  const lines = [`${caught} of ${faults.length} faults caught, ${missed} missed, in ${seconds} s.`];
  if (!isWhole) return lines;
  const named = new Set(applicationFaults.map(({ check }) => check));
  const without = checks.map(({ id }) => id).filter((id) => !named.has(id));
  return [
    ...lines,
    `${right.length - blamed} of ${right.length} right applications pass, ${blamed} blamed.`,
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
