/**
 * Runs the tests, ring by ring. `npm test` runs those of every day; `.ci/run` adds `NAME.ci.test.ts`, `npm run
 * test:release` runs `NAME.release.test.ts`. `npm test -- PART` runs every file whose path contains PART.
 *
 * Tests against other programs are in `test/interop/PROGRAM/` and left out where the program isn't installed, unless
 * AUTHCLI_REQUIRE_PROGRAMS is set. `--node FILE` runs the tests under another Node.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { compiledName, compileTests } from './test/compile.ts';
import { missingPrograms, programOf } from './test/programs.ts';

const { values, positionals } = parseArgs({
  options: {
    ring: { type: 'string', multiple: true },
    times: { type: 'string', default: '1' },
    node: { type: 'string', default: process.execPath },
  },
  allowPositionals: true,
});

/** Which run a test file belongs to, by the ending of its name. */
function ringOf(file: string): string {
  const [, ring = 'everyday'] = /\.(ci|release)\.test\.ts$/.exec(file) ?? [];
  return ring;
}

const rings =
  values.ring ?? (positionals.length > 0 ? ['everyday', 'ci', 'release'] : ['everyday']);

function isChosen(file: string): boolean {
  const isNamed = positionals.length === 0 || positionals.some((part) => file.includes(part));
  return isNamed && rings.includes(ringOf(file));
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const filesOfAProcess = 16;

const all = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.test.ts'))
  .sort();
const chosen = all.filter(isChosen);
if (chosen.length === 0) fail(`No test file matches ${positionals.join(', ')}.`);

const missing = missingPrograms(chosen);
if (missing.length > 0 && process.env.AUTHCLI_REQUIRE_PROGRAMS) {
  fail(`Not installed, and AUTHCLI_REQUIRE_PROGRAMS is set: ${missing.join(', ')}.`);
}

const compiled = compileTests();
const folder = mkdtempSync(join(tmpdir(), 'authcli-tests-'));
// What tests leave in their temporary folder goes with the run. Other users, who some tests act as, may enter it.
chmodSync(folder, 0o755);
process.env.TMPDIR = folder;
const counts = join(folder, 'counts.tap');
const status = runFiles(chosen.filter((file) => !missing.includes(programOf(file) ?? '')));
process.stdout.write(`${summary()}\n`);
// A process that is ending may still write there.
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
process.exitCode = status;

/**
 * Files share processes, since starting Node and loading the modules costs most of them more than the tests. What takes
 * long is alone, and neighbours, which take about as long as each other, are spread over the processes.
 */
function batchesOf(files: readonly string[]): string[][] {
  const everyday = files.filter((file) => ringOf(file) === 'everyday');
  const alone = files.filter((file) => ringOf(file) !== 'everyday').map((file) => [file]);
  const count = Math.ceil(everyday.length / filesOfAProcess);
  const shared = Array.from({ length: count }, (_, batch) =>
    everyday.filter((_, index) => index % count === batch),
  );
  return [...alone, ...shared];
}

/**
 * The module that runs a batch. Its first suite keeps tests from starting before every file is loaded: node:test ends
 * with the last test that it has registered, and the tests of a file that awaits something while it loads would come too late.
 */
function processOf(batch: readonly string[], index: number): string {
  const modules = batch.map((file) => join(compiled, compiledName(file)));
  const [first = ''] = modules;
  if (modules.length === 1) return first;
  const path = join(folder, `${index}.test.mjs`);
  const lines = [
    "import { describe } from 'node:test';",
    'let loaded;',
    'const loading = new Promise((resolve) => { loaded = resolve; });',
    "describe('files', () => loading);",
    ...modules.map((module) => `await import(${JSON.stringify(module)});`),
    'loaded();',
  ];
  writeFileSync(path, lines.join('\n'));
  return path;
}

function runFiles(files: readonly string[]): number {
  // Without files, Node would look for some.
  if (files.length === 0) return 0;
  // Two more than the cores: some files wait for servers and processes more than they compute.
  const concurrency = `--test-concurrency=${availableParallelism() + 2}`;
  // What a failed test leaves running, such as a server, would keep its file from ending.
  const timeout = `--test-timeout=${values.times === '1' ? 900_000 : 3_600_000}`;
  // Dots and failures for people; the counts are at the end of the other.
  const shown = ['--test-reporter=dot', '--test-reporter-destination=stdout'];
  const counted = ['--test-reporter=tap', `--test-reporter-destination=${counts}`];
  const paths = batchesOf(files).map(processOf);
  const env = {
    ...process.env,
    AUTHCLI_TEST_TIMES: values.times,
    PATH: pathToPython(process.env.PATH ?? ''),
    // What is tested in Java ends before the optimising compiler would pay: 40 % less CPU time.
    JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC',
  };
  const options = ['--enable-source-maps', '--test', concurrency, timeout, ...shown, ...counted];
  return spawnSync(values.node, [...options, ...paths], { stdio: 'inherit', env }).status ?? 1;
}

/** A version manager puts a script in place of python3 that takes three times as long to start as Python itself. */
function pathToPython(path: string): string {
  const { stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)']);
  const folder = dirname(String(stdout ?? '').trim());
  const found = path.split(':').find((each) => existsSync(join(each, 'python3')));
  return found === undefined || found === folder ? path : `${folder}:${path}`;
}

function summary(): string {
  const report = existsSync(counts) ? readFileSync(counts, 'utf8') : '';
  const count = (name: string) => new RegExp(`^# ${name} (\\d+)$`, 'm').exec(report)?.[1] ?? '0';
  const skipped = count('skipped') === '0' ? '' : `, ${count('skipped')} skipped`;
  const leftOut =
    missing.length === 0 ? '' : `; left out, because not installed: ${missing.join(', ')}`;
  return `${count('pass')} passed, ${count('fail')} failed${skipped}${leftOut}`;
}
