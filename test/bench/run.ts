/**
 * Measures what authcli promises of its speed: `npm run bench`, or `npm run bench -- --quick` in less
 * than a minute. `--json FILE` writes the figures, `--node FILE` measures another Node, `--only TEXT`
 * the benchmarks whose name holds the text. A figure that isn't met is shown, and fails nothing.
 */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { arch, cpus, platform } from 'node:os';
import { parseArgs } from 'node:util';
import type { Benchmark, Effort } from './benchmark.ts';
import { loads } from './load.ts';
import { manyUsers } from './many-users.ts';
import { signUps } from './sign-up.ts';
import { startUps } from './start-up.ts';
import { type Row, row, table } from './table.ts';
import { World } from './world.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    node: { type: 'string', default: process.execPath },
    only: { type: 'string', default: '' },
  },
});

const effort: Effort = values.quick
  ? { rounds: 5, runs: 2, manyUsers: 10_000 }
  : { rounds: 21, runs: 4, manyUsers: 100_000 };

const node = execFileSync(values.node, ['--version']).toString().trim();
const major = Number(/\d+/.exec(node)?.[0]);
const benchmarks: readonly Benchmark[] = [...startUps, ...signUps, ...manyUsers, ...loads(major)];

const world = new World(values.node);
const rows: Row[] = [];
try {
  for (const benchmark of benchmarks.filter(({ name }) => name.includes(values.only))) {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${benchmark.name} …`);
    rows.push(row(benchmark, await benchmark.run(world, effort)));
  }
} finally {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  world.close();
}

process.stdout.write(`${table(rows)}\n\nNode ${node}, ${cpus().length} × ${cpus()[0]?.model}\n`);
if (values.json !== undefined) {
  const machine = { node, platform: platform(), arch: arch(), cpus: cpus().length };
  const document = { schema: 'authcli/bench/1', ...machine, quick: values.quick, results: rows };
  writeFileSync(values.json, `${JSON.stringify(document, undefined, 2)}\n`);
}
