/** Builds dist/: the command line, the texts that are printed without loading it, the library, and the types. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bundleLibrary, bundleLoad, bundleProgram } from './bundle.ts';
import { bundlePage } from './bundle-page.ts';
import { keepCompiledCode } from './compiled.ts';
import { writeNotices } from './notices.ts';
import { readyTexts } from './ready-texts.ts';
import { wasmOfUndici } from './unreached.ts';

// Made whole before anything is replaced: a program that starts meanwhile finds the old or the new.
const [program, library, load, page, texts] = await Promise.all([
  bundleProgram(),
  bundleLibrary(),
  bundleLoad(),
  bundlePage(),
  readyTexts(),
]);

rmSync('dist', { recursive: true, force: true });
const bundles = [program, library, load, page];
for (const { path, text } of bundles.flatMap(({ files }) => files)) write(path, text);
for (const { path, bytes } of wasmOfUndici()) write(path, bytes);
for (const [name, text] of texts) write(join('dist', name), text);
writeNotices([...new Set(bundles.flatMap(({ inputs }) => inputs))], 'THIRD_PARTY_NOTICES');

const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
execFileSync(
  process.execPath,
  [typescript.replace(/package\.json$/, 'bin/tsc'), '-p', 'tsconfig.build.json'],
  { stdio: 'inherit' },
);

await keepCompiledCode().catch((error: unknown) => {
  process.stderr.write(`Starts will be slower, without compiled code: ${error}\n`);
});

function write(file: string, text: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
