import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/** Where compiled sources are, one folder for each state of them. */
const cache = 'node_modules/.cache/authcli-tests';
const sources = ['src', 'test', 'scripts'];
const unusedAfterMs = 3_600_000;

/**
 * Compiles everything in TypeScript once, and gives the folder: it is laid out as the repository and
 * links to the files that are not TypeScript, so that paths relative to a module lead to them. The
 * folder of an earlier run is used again where no source has changed.
 */
export function compileTests(): string {
  const files = sources.flatMap(filesBelow);
  const folder = resolve(cache, digestOf(files));
  if (!existsSync(folder)) compileInto(folder, files);
  const now = new Date();
  utimesSync(folder, now, now);
  removeUnused();
  return folder;
}

/** The compiled form of a source. */
export function compiledName(file: string): string {
  return file.replace(/\.ts$/, '.js');
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

function digestOf(files: readonly string[]): string {
  const hash = createHash('sha256').update(resolve('.'));
  for (const file of [...files, 'tsconfig.json']) {
    hash.update(`\0${file}\0`);
    if (/\.(ts|json)$/.test(file)) hash.update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Made beside its place and moved there whole: another run may be at the same work. */
function compileInto(folder: string, files: readonly string[]): void {
  const temporary = `${folder}.${process.pid}`;
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  const tsc = join(dirname(typescript), 'bin/tsc');
  const emit = ['--noEmit', 'false', '--noCheck', '--sourceMap', '--rootDir', '.'];
  const args = [tsc, '-p', 'tsconfig.json', ...emit, '--outDir', temporary];
  execFileSync(process.execPath, args, { stdio: 'inherit' });
  for (const file of files) if (!file.endsWith('.ts')) link(file, temporary);
  // The build may be made later than this.
  for (const name of new Set([...readdirSync('.'), 'dist'])) {
    if (!sources.includes(name) && name !== 'node_modules') link(name, temporary);
  }
  try {
    renameSync(temporary, folder);
  } catch (error) {
    rmSync(temporary, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

function link(file: string, folder: string): void {
  const target = join(folder, file);
  mkdirSync(dirname(target), { recursive: true });
  if (!existsSync(target)) symlinkSync(resolve(file), target);
}

function removeUnused(): void {
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name);
    const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > unusedAfterMs) rmSync(folder, { recursive: true, force: true });
  }
}
