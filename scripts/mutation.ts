/**
 * Measures what the tests protect: `npm run mutation` changes `src/` in many small ways, one at a time, and counts for
 * how many a test fails. A change negates a condition, moves a bound by one, drops a returned value or removes a case.
 *
 *     npm run mutation -- --count 320 --seed 7 --set set.json --results results.json
 *
 * `--set FILE` tries the changes that the file names, or is written with those that the seed chose. The same changes can
 * be tried at two commits: `--also COMMIT` draws only those that exist there as well, `--commit COMMIT` tries them there.
 * `--only PART` takes every change of the source files whose path contains PART. What `--results FILE` has as noticed
 * isn't tried again. Release tests are left out, as in `.ci/run`.
 *
 * All changes are compiled at once behind switches, into a clone. Each test file runs once to find the changes that it
 * reaches; then each change runs the few of them that reach least. Of what is still unnoticed most stays so: each
 * of the other files runs once with all of it that it reaches, and halves it if a test fails.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync } from 'rolldown/utils';

const kinds = ['condition', 'return', 'case', 'bound'] as const;

/** A change, named so that it is found again in another version of the source, wherever that has it. */
interface Mutation {
  readonly file: string;
  readonly kind: (typeof kinds)[number];
  /** The expression that changes. */
  readonly text: string;
  /** Its lines, with one before and one after. */
  readonly context: string;
}

interface Candidate extends Mutation {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly original: string;
  readonly changed: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [name: string]: unknown;
}

interface Coverage {
  readonly file: string;
  readonly seconds: number;
  readonly passes: boolean;
  readonly reached: ReadonlySet<number>;
}

const movedBounds: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
};

/** How many test files a change runs alone. */
const filesOfItsOwn = 8;

/** Says which changes are active, and notes those that are reached. */
const switchFunction = `// @ts-nocheck
const __changed = (globalThis.__changed ??= (() => {
  const { MUTATION_ACTIVE, MUTATION_REACHED } = globalThis.process?.env ?? {};
  const active = new Set(MUTATION_ACTIVE?.split(',').map(Number));
  const seen = new Set();
  return (id) => {
    if (MUTATION_REACHED && !seen.has(id)) {
      seen.add(id);
      process.getBuiltinModule('node:fs').appendFileSync(MUTATION_REACHED, id + '\\n');
    }
    return active.has(id);
  };
})());
`;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '320' },
    seed: { type: 'string', default: '1' },
    set: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    also: { type: 'string' },
    results: { type: 'string' },
    commit: { type: 'string', default: 'HEAD' },
  },
});

const clone = join(mkdtempSync(join(tmpdir(), 'authcli-mutation-')), 'clone');
cloneInto(clone);
const candidates = candidatesAt(values.commit);
const mutations = chosen();
const noticed = knownResults();
instrument(mutations);
run('node', ['--import', 'tsx', 'scripts/build.ts']);
const files = filesBelow('test').filter((file) => /(?<!\.release)\.test\.ts$/.test(file));
print(`${mutations.length} changes, ${files.length} test files`);
// The first run compiles, and makes what the others share.
await passes(files.slice(0, 1), {}, 900);
const coverage = await inParallel(files, coverageOf);
for (const { file, passes } of coverage) if (!passes) print(`left out, fails unchanged: ${file}`);
await inParallel([...mutations.keys()], async (id) => {
  if (isNoticed(id)) return;
  const files = ownFiles(id);
  for (const some of [files.slice(0, 2), files.slice(2)]) {
    if (await isNoticedBy(some, [id])) return record(id, true);
  }
});
const rest = [...mutations.keys()].filter((id) => !isNoticed(id));
print(`${rest.length} of them pass the files that reach least`);
const byTime = coverage
  .filter(({ passes }) => passes)
  .sort((one, other) => one.seconds - other.seconds);
await inParallel(byTime, (file) =>
  tryTogether(
    file,
    rest.filter((id) => file.reached.has(id) && !ownFiles(id).includes(file)),
  ),
);
for (const id of rest) if (!isNoticed(id)) record(id, false);
report();
rmSync(join(clone, '..'), { recursive: true, force: true });

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function run(command: string, args: readonly string[], cwd = clone): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
}

function cloneInto(folder: string): void {
  run('git', ['clone', '-q', '--no-checkout', '.', folder], '.');
  run('git', ['checkout', '-q', values.commit]);
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(clone, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .sort();
}

/** Those of a commit that its source has once; without what runs in a browser, where the switch can't be read. */
function candidatesAt(commit: string): Candidate[] {
  const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8' }).stdout;
  const files = git('ls-tree', '-r', '--name-only', commit, 'src').trim().split('\n');
  const sources = files.filter((file) => file.endsWith('.ts') && !file.includes('/browser/'));
  const all = sources.flatMap((file) => candidatesOf(file, git('show', `${commit}:${file}`)));
  return [...grouped(all, keyOf).values()].filter(({ length }) => length === 1).flat();
}

function candidatesOf(file: string, text: string): Candidate[] {
  const lines = text.split('\n');
  const found: Candidate[] = [];
  const add = (kind: Mutation['kind'], node: unknown, changed: (source: string) => string[]) => {
    const { start, end } = node as Node;
    const source = text.slice(start, end);
    const [original = '', mutant = ''] = changed(source);
    const line = text.slice(0, start).split('\n').length;
    const count = source.split('\n').length;
    const around = lines.slice(Math.max(0, line - 2), line + count);
    const context = around.map((each) => each.trim()).join('\n');
    found.push({ file, kind, text: source, context, start, end, line, original, changed: mutant });
  };
  walk(parseSync(file, text).program as unknown as Node, (node) => {
    if (['IfStatement', 'ConditionalExpression', 'WhileStatement'].includes(node.type)) {
      add('condition', node.test, (source) => [`(${source})`, `!(${source})`]);
    }
    if (node.type === 'LogicalExpression' && node.operator !== '??') {
      add('condition', node.left, (source) => [`(${source})`, `!(${source})`]);
    }
    const moved = movedBounds[String(node.operator)];
    if (node.type === 'BinaryExpression' && moved !== undefined) {
      const left = text.slice(node.start, (node.left as Node).end);
      const right = text.slice((node.right as Node).start, node.end);
      // What closes a bracket around the left side stands between the two.
      const between = text.slice((node.left as Node).end, (node.right as Node).start);
      const swapped = between.replace(String(node.operator), moved);
      add('bound', node, (source) => [source, `${left}${swapped}${right}`]);
    }
    const isArrow = node.type === 'ArrowFunctionExpression' && node.expression === true;
    const returned = isArrow ? node.body : node.type === 'ReturnStatement' ? node.argument : null;
    if (returned !== null && returned !== undefined) {
      add('return', returned, (source) => [`(${source})`, 'undefined']);
    }
    if (node.type === 'SwitchCase' && node.test !== null) {
      add('case', node.test, (source) => [`(${source})`, 'Symbol()']);
    }
    const elements = node.type === 'ArrayExpression' ? (node.elements as (Node | null)[]) : [];
    if (elements.length > 2 && elements.every((each) => each && each.type !== 'SpreadElement')) {
      for (const each of elements) add('case', each, (source) => [`[${source}]`, '[]']);
    }
  });
  return found;
}

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each?.type === 'string') walk(each as Node, visit);
    }
  }
}

function keyOf({ kind, text, context }: Mutation): string {
  return JSON.stringify([kind, text, context]);
}

/** The changes to try, none of which contains another. */
function chosen(): readonly Candidate[] {
  const { set, only, also } = values;
  if (set !== undefined && existsSync(set)) {
    const wanted = (JSON.parse(readFileSync(set, 'utf8')) as Mutation[]).map(keyOf);
    const known = new Map(candidates.map((each) => [keyOf(each), each]));
    return wanted.map((key) => known.get(key)).filter((each) => each !== undefined);
  }
  const there = also === undefined ? undefined : new Set(candidatesAt(also).map(keyOf));
  const both = candidates.filter((each) => there?.has(keyOf(each)) ?? true);
  const parts = both.filter(({ file }) => only.some((part) => file.includes(part)));
  const result = only.length > 0 ? withoutOverlaps(parts) : drawn(both);
  if (set !== undefined) {
    const named = result.map(({ file, kind, text, context }) => ({ file, kind, text, context }));
    writeFileSync(set, `${JSON.stringify(named, null, 1)}\n`);
  }
  return result;
}

/** From each folder as many as its share of the source has, and as many of each kind. */
function drawn(from: readonly Candidate[]): readonly Candidate[] {
  const folders = grouped(shuffled(from), folderOf);
  return [...folders.values()].flatMap((all) => {
    const count = Math.max(3, Math.round((Number(values.count) * all.length) / from.length));
    const byKind = kinds.map((kind) => withoutOverlaps(all.filter((each) => each.kind === kind)));
    const longest = Math.max(...byKind.map(({ length }) => length));
    const inTurn = Array.from({ length: longest }, (_, index) => byKind.map((of) => of[index]));
    const turns = inTurn.flat().filter((each) => each !== undefined);
    return withoutOverlaps(turns).slice(0, count);
  });
}

function grouped<T>(all: readonly T[], nameOf: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const group = groups.get(nameOf(each));
    if (group === undefined) groups.set(nameOf(each), [each]);
    else group.push(each);
  }
  return groups;
}

function folderOf({ file }: Mutation): string {
  return file.split('/').slice(0, -1).slice(0, 2).join('/');
}

function shuffled(all: readonly Candidate[]): Candidate[] {
  const rank = (each: Mutation) =>
    createHash('sha256')
      .update(`${values.seed} ${keyOf(each)}`)
      .digest('hex');
  const ranked = all.map((each) => [rank(each), each] as const);
  return ranked.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
}

function withoutOverlaps(all: readonly Candidate[]): Candidate[] {
  const kept: Candidate[] = [];
  for (const each of all) {
    const overlaps = kept.some(
      ({ file, start, end }) => file === each.file && start < each.end && each.start < end,
    );
    if (!overlaps) kept.push(each);
  }
  return kept;
}

function instrument(all: readonly Candidate[]): void {
  const files = grouped([...all.keys()], (id) => all[id]?.file ?? '');
  for (const [file, ids] of files) {
    let text = readFileSync(join(clone, file), 'utf8');
    const last = (one: number, other: number) => (all[other]?.start ?? 0) - (all[one]?.start ?? 0);
    for (const id of ids.sort(last)) {
      const { start, end, kind, original, changed } = all[id] as Candidate;
      const spread = kind === 'case' && changed === '[]' ? '...' : '';
      const switched = `${spread}(__changed(${id}) ? ${changed} : ${original})`;
      text = text.slice(0, start) + switched + text.slice(end);
    }
    writeFileSync(join(clone, file), switchFunction + text);
  }
  // A switched value has another type.
  const config = join(clone, 'tsconfig.build.json');
  const unchecked = '"compilerOptions": { "noCheck": true,';
  const text = readFileSync(config, 'utf8').replace('"compilerOptions": {', unchecked);
  writeFileSync(config, text);
}

/** Runs as many at once as there are cores. */
async function inParallel<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = all.entries();
  const worker = async () => {
    for (const [index, each] of queue) results[index] = await work(each);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return results;
}

/** Whether the test files pass with the environment, within the time. */
async function passes(
  files: readonly string[],
  env: Readonly<Record<string, string>>,
  seconds: number,
): Promise<boolean> {
  const args = ['--import', 'tsx', 'scripts/test.ts', ...files];
  const options = { cwd: clone, env: { ...process.env, ...env }, detached: true } as const;
  const child = spawn(process.execPath, args, { ...options, stdio: 'ignore' });
  const timer = setTimeout(() => process.kill(-Number(child.pid), 'SIGKILL'), seconds * 1000);
  const code = await new Promise((resolve) => child.on('exit', resolve));
  clearTimeout(timer);
  return code === 0;
}

async function coverageOf(file: string): Promise<Coverage> {
  const list = join(clone, '..', `${file.replaceAll('/', '-')}.reached`);
  const start = performance.now();
  const isRight = await passes([file], { MUTATION_REACHED: list }, 900);
  const seconds = (performance.now() - start) / 1000;
  const lines = existsSync(list) ? readFileSync(list, 'utf8').trim().split('\n') : [];
  return { file, seconds, passes: isRight, reached: new Set(lines.map(Number)) };
}

/** The test files that reach a change, those first that are named like its file, and then those that reach least. */
function reaching(id: number): Coverage[] {
  const named = mutations[id]?.file.slice(4, -3) ?? '';
  const cost = ({ file, reached, seconds }: Coverage) =>
    file.includes(named) ? 0 : reached.size * seconds;
  return coverage
    .filter(({ passes, reached }) => passes && reached.has(id))
    .sort((one, other) => cost(one) - cost(other));
}

/** Those that a change runs alone; not those of CI, some of which take minutes. */
function ownFiles(id: number): Coverage[] {
  const everyday = reaching(id).filter(({ file }) => !file.includes('.ci.'));
  return everyday.slice(0, filesOfItsOwn);
}

async function isNoticedBy(files: readonly Coverage[], ids: readonly number[]): Promise<boolean> {
  if (files.length === 0) return false;
  const seconds = 60 + 4 * files.reduce((sum, each) => sum + each.seconds, 0);
  const names = files.map(({ file }) => file);
  return !(await passes(names, { MUTATION_ACTIVE: ids.join(',') }, seconds));
}

/** Runs a file with those of the changes that are still unnoticed, all at once, and halves them if a test fails. */
async function tryTogether(file: Coverage, ids: readonly number[]): Promise<void> {
  const left = ids.filter((id) => !isNoticed(id));
  if (left.length === 0 || !(await isNoticedBy([file], left))) return;
  if (left.length === 1) return record(Number(left[0]), true);
  await tryTogether(file, left.slice(0, left.length / 2));
  await tryTogether(file, left.slice(left.length / 2));
}

function isNoticed(id: number): boolean {
  return noticed.get(keyOf(mutations[id] as Candidate)) === true;
}

function record(id: number, seen: boolean): void {
  const mutation = mutations[id] as Candidate;
  noticed.set(keyOf(mutation), seen);
  const { file, line, kind, original, changed } = mutation;
  const count = reaching(id).length;
  if (!seen) print(`unnoticed: ${file}:${line} ${kind}: ${original} → ${changed} (${count} files)`);
  writeResults();
}

function knownResults(): Map<string, boolean> {
  const { results } = values;
  if (results === undefined || !existsSync(results)) return new Map();
  return new Map(JSON.parse(readFileSync(results, 'utf8')) as [string, boolean][]);
}

function writeResults(): void {
  if (values.results === undefined) return;
  writeFileSync(`${values.results}.new`, JSON.stringify([...noticed], null, 1));
  renameSync(`${values.results}.new`, values.results);
}

function report(): void {
  const folders = grouped(mutations, folderOf);
  const share = (all: readonly Candidate[]) => {
    const count = all.filter((each) => noticed.get(keyOf(each)) === true).length;
    return `${count} of ${all.length} (${((100 * count) / all.length).toFixed(1)} %)`;
  };
  for (const [folder, all] of folders) print(`${folder}: ${share(all)}`);
  print(`noticed: ${share(mutations)}`);
}
