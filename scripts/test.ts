/**
 * Runs the tests under the Node that runs this script, or under the one that `--node` names.
 * `npm test -- PART` runs only the files whose path holds PART. Globs of `node --test` exist only
 * from Node 21 on, so the files are listed here.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { node: { type: 'string', default: process.execPath }, reporter: { type: 'string' } },
  allowPositionals: true,
});

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
  .sort();

if (files.length === 0) {
  process.stderr.write(`No test file matches ${positionals.join(', ')}.\n`);
  process.exit(2);
}

const reporter = values.reporter ?? (process.stdout.isTTY ? 'spec' : 'dot');
const { status } = spawnSync(
  values.node,
  ['--import', 'tsx', '--test', `--test-reporter=${reporter}`, ...files],
  { stdio: 'inherit' },
);
process.exit(status ?? 1);
