/** Builds dist/: the command line, the library, the texts that are derived from the source, and the types. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bundleProgram } from './bundle.ts';
import { bundlePage } from './bundle-page.ts';
import { noticesOf, packagesOf } from './notices.ts';
import { derivedTexts } from './texts.ts';

// Made whole before anything is replaced: a program that starts meanwhile finds the old or the new.
const [program, page, texts] = await Promise.all([bundleProgram(), bundlePage(), derivedTexts()]);

const bundles = [program, page];
/** The packages that are in the bundles. */
export const packages = packagesOf(bundles.flatMap(({ inputs }) => inputs));

const { bundled } = JSON.parse(readFileSync('package.json', 'utf8')) as { bundled: string[] };
const names = [...new Set(packages.map(({ name }) => name))];
if (names.join() !== bundled.join())
  throw new Error(`"bundled" in package.json must be ${JSON.stringify(names)}.`);

rmSync('dist', { recursive: true, force: true });
for (const { path, text } of bundles.flatMap(({ files }) => files)) write(path, text);
for (const [name, text] of texts) write(join('dist', name), text);
write('THIRD_PARTY_NOTICES', noticesOf(packages));

const types = join('dist', 'types');
const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
execFileSync(
  process.execPath,
  [typescript.replace(/package\.json$/, 'bin/tsc'), '-p', 'tsconfig.build.json'],
  { stdio: 'inherit' },
);
// TypeScript writes a file for every source that it reads; those that the library's doesn't lead to describe nothing public.
const declared = new Set([join(types, 'index.d.ts')]);
for (const file of declared)
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/ from '(\..+)\.ts'/g))
    declared.add(join(dirname(file), `${name}.d.ts`));
for (const { parentPath, name } of readdirSync(types, { recursive: true, withFileTypes: true }))
  if (name.endsWith('.ts') && !declared.has(join(parentPath, name))) rmSync(join(parentPath, name));

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
