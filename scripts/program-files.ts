import { basename } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import type { Bundle } from './bundle.ts';
import { type Chunk, type Group, groupChunks } from './group-chunks.ts';

/**
 * Turns the chunks that esbuild made of the program into the files that bin/authcli.js loads:
 * functions with the body of a CommonJS file, because Node's loader of ES modules costs a quarter of
 * its whole start and more for each file, and few, because each file costs as much as eight
 * kilobytes more of another. esbuild splits ES modules alone, and into as many chunks as there are
 * sets of commands that share something.
 */
export async function asCommonJs(
  chunks: readonly OutputFile[],
  metafile: Metafile,
): Promise<Bundle['files']> {
  const texts = new Map(chunks.map(({ path, text }) => [basename(path), text]));
  const groups = groupChunks(chunksOf(metafile));
  const { outputFiles } = await build({
    ...options,
    entryPoints: groups.map(({ name }) => ({ in: `group:${name}`, out: name })),
    plugins: [linker(groups, texts)],
  });
  return outputFiles.map(({ path, text }) => ({
    path,
    text: `(function(exports,require,module,__dirname){${withoutCopies(text)}\n})`,
  }));
}

/**
 * esbuild has a dynamic import copy the exports, for the sake of other CommonJS. The files know each
 * other: the originals will do.
 */
function withoutCopies(text: string): string {
  return text.replaceAll('__toESM(require("./', '(require("./');
}

const options = {
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  define: { 'import.meta.dirname': '__dirname' },
  supported: { 'dynamic-import': false }, // becomes require(), still when it is reached
  logOverride: { 'commonjs-variable-in-esm': 'silent' }, // what asExports() writes
  minifyWhitespace: true,
  minifySyntax: true,
  write: false,
} as const satisfies BuildOptions;

/** What pipelines call hundreds of times, and what these load; people call the rest now and then. */
const often = new RegExp(
  '/(?:commands/(?:key-(?:generate|wrap|unwrap)|encrypt|decrypt|signin|simulate-signup)|' +
    'cli/local-state|client/transport|state/lock)\\.ts$',
);

function chunksOf({ outputs }: Metafile): Chunk[] {
  return Object.entries(outputs).map(([path, { bytes, entryPoint, exports, imports }]) => ({
    name: basename(path),
    bytes,
    exports,
    isEntry: entryPoint !== undefined,
    weight: often.test(entryPoint ?? '') ? 50 : 1,
    imports: imports
      .filter(({ kind, external }) => kind === 'import-statement' && external !== true)
      .map((found) => basename(found.path)),
  }));
}

/**
 * Puts the chunks of a group into one file. Its exports are those of all of them, under names that
 * say whose they are; a chunk of another group is taken from that group's file under those names.
 */
function linker(groups: readonly Group[], texts: ReadonlyMap<string, string>): Plugin {
  const groupOf = new Map(groups.flatMap((group) => group.chunks.map(({ name }) => [name, group])));
  const chunks = new Map(
    groups.flatMap((group) => group.chunks.map((chunk) => [chunk.name, chunk])),
  );
  const chunk = (name: string): Chunk => found(chunks.get(name), name);
  return {
    name: 'linker',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^group:/ }, ({ path }) => ({ path: path.slice(6), namespace: 'group' }));
      onResolve({ filter: /\.js$/ }, ({ path, importer, namespace, kind }) => {
        const name = basename(path);
        if (namespace === 'group') return { path: name, namespace: 'chunk' };
        const file = { path: `./${groupOf.get(name)?.name}.cjs`, external: true };
        if (namespace === 'link' || kind === 'dynamic-import') return file;
        const isNear = groupOf.get(name) === groupOf.get(importer);
        return { path: name, namespace: isNear ? 'chunk' : 'link' };
      });
      onLoad({ filter: /.*/, namespace: 'group' }, ({ path }) => ({
        contents: asExports(groups.find(({ name }) => name === path)?.chunks ?? []),
      }));
      onLoad({ filter: /.*/, namespace: 'link' }, ({ path }) => ({
        contents: `export {${namesInside(chunk(path))}} from './${path}';`,
      }));
      onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path }) => ({
        contents: found(texts.get(path), path),
      }));
    },
  };
}

/**
 * Hands out what the chunks export, as plain properties: nothing of it changes once it is there, and
 * the getters that esbuild would make of exports cost at each start and each use.
 */
function asExports(chunks: readonly Chunk[]): string {
  const named = chunks.flatMap((chunk, index) =>
    chunk.exports.map((own) => ({ chunk, own, local: `_${index}_${own}` })),
  );
  const imports = [
    ...chunks.map(({ name }) => `import './${name}';`), // also what exports nothing
    ...named.map(({ chunk, own, local }) => `import {${own} as ${local}} from './${chunk.name}';`),
  ];
  const properties = named.map(({ chunk, own, local }) => `${nameOutside(chunk, own)}:${local}`);
  return `${imports.join('\n')}\nmodule.exports={${properties.join(',')}};`;
}

/** The exports of a chunk by the names that its group's file has for them, and back again. */
function namesInside(chunk: Chunk): string {
  return chunk.exports.map((own) => `${nameOutside(chunk, own)} as ${own}`).join(',');
}

/** The names in a group's file say whose they are, but for those of what is loaded by itself. */
function nameOutside({ name, isEntry }: Chunk, own: string): string {
  return isEntry ? own : `${name.replace(/\W/g, '_')}_${own}`;
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`no chunk ${name}`);
  return value;
}
