/**
 * Measures what authcli promises of its speed, as users have it: the packed tarball, installed in an empty folder.
 * `npm run bench`, or `npm run bench -- --quick` in a few minutes; `--once` shows only that the benchmarks run, with
 * figures that say little. `--node FILE` measures that Node, by default this one and Node 24, which npm installs;
 * `--only TEXT` the benchmarks whose name contains the text, `--package TARBALL` one that is packed already. A goal that isn't met is shown, and fails nothing.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { arch, cpus, platform, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { benchmarks } from './benchmarks.ts';
import { Installation } from './installation.ts';
import { type Benchmark, type Comparison, efforts, type LeftOut } from './measure.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    once: { type: 'boolean', default: false },
    node: { type: 'string', multiple: true },
    only: { type: 'string', default: '' },
    package: { type: 'string' },
  },
});

const extent = values.once ? 'once' : values.quick ? 'quick' : 'whole';

const quietly = ['--no-audit', '--no-fund', '--loglevel=error'] as const;
const folder = mkdtempSync(join(tmpdir(), 'authcli-bench-package-'));
try {
  const bin = install();
  for (const node of values.node ?? nodes()) await measure(node, bin);
} finally {
  rmSync(folder, { recursive: true });
}

/** Installs the tarball as it is published; the file that is run. */
function install(): string {
  const tarball = values.package ?? pack();
  execFileSync('npm', ['install', '--prefix', folder, ...quietly, resolve(tarball)]);
  return join(folder, 'node_modules', 'authcli', 'bin', 'authcli.js');
}

function pack(): string {
  execFileSync('npm', ['run', '--silent', 'package', '--', folder]);
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
}

/** This Node, and Node 24 where npm can install it. */
function nodes(): readonly string[] {
  if (Number.parseInt(process.versions.node, 10) >= 24) return [process.execPath];
  const name = `node-${platform()}-${arch()}`;
  const flags = ['--prefix', folder, ...quietly, '--ignore-scripts'];
  const { status } = spawnSync('npm', ['install', ...flags, `${name}@24`]);
  if (status === 0) return [process.execPath, join(folder, 'node_modules', name, 'bin', 'node')];
  process.stdout.write(`Node 24 is left out: npm can't install ${name}.\n`);
  return [process.execPath];
}

/** Runs the benchmarks under one Node, and prints their table. */
async function measure(node: string, bin: string) {
  const version = execFileSync(node, ['--version']).toString().trim();
  const hasCache = Number.parseInt(version.slice(1), 10) >= 22;
  const installed = new Installation(node, bin);
  const rows: ReturnType<typeof cellsOf>[] = [];
  try {
    for (const benchmark of benchmarks(hasCache).filter(({ name }) => name.includes(values.only))) {
      if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${benchmark.name} …`);
      rows.push(cellsOf(benchmark, await benchmark.run(installed, efforts[extent])));
    }
  } finally {
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    await installed.close();
  }
  const model = `${cpus().length} × ${cpus()[0]?.model}`;
  process.stdout.write(`${table(rows)}\n\nNode ${version}, ${model}\n\n`);
}

/** Rows of cells as a table in Markdown. */
function table(rows: readonly (readonly string[])[]): string {
  const cells = [['', 'ratio', 'goal', 'met', 'spread', 'CPU', 'to that of'], ...rows];
  const [heading = '', ...lines] = cells.map((line) => `| ${line.join(' | ')} |`);
  return [heading, '|---|---|---|---|---|---|---|', ...lines].join('\n');
}

/** The row of a benchmark and what it came to. */
function cellsOf({ name, goal, against }: Benchmark, result: Comparison | LeftOut) {
  const wanted = 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
  if ('leftOut' in result) return [name, '', wanted, '', '', result.leftOut, against];
  const { ratio, spread, ms, againstMs, cost } = result;
  const isMet = 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
  return [
    ...[name, ratio.toFixed(2), wanted, isMet ? 'yes' : 'no'],
    spread.map((value) => value.toFixed(2)).join(' to '),
    cost ?? time(ms),
    cost === undefined ? `${against} (${time(againstMs)})` : against,
  ];
}

function time(ms: number): string {
  return ms < 5 ? `${(ms * 1000).toFixed(0)} us` : `${ms.toFixed(0)} ms`;
}
