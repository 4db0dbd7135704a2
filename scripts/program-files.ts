import { basename } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import type { Bundle } from './bundle.ts';
import { type Chunk, type Group, groupChunks } from './group-chunks.ts';

/**
 * Turns the chunks that esbuild made of the program into the files that bin/authcli.js loads:
 * functions with the body of a CommonJS file, because Node's loader of ES modules costs a quarter of
 * its whole start and more for each file, and few, because each file costs as much as twelve
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
    text: `(function(exports,require,module,__dirname){${withoutCopies(path, text)}\n})`,
  }));
}

/**
 * esbuild hands out copies of the exports, marked as an ES module, and has a dynamic import copy them
 * once more, for the sake of other CommonJS. The files know each other: the originals will do.
 */
function withoutCopies(path: string, text: string): string {
  const [before, after, ...more] = text.split(/module\.exports=__toCommonJS\((?=\w+\))/);
  if (after === undefined || more.length > 0) throw new Error(`${path} exports in another way`);
  const direct = `${before}module.exports=(${after}`;
  return direct.replaceAll('__toESM(require("./', '(require("./');
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
        contents: (groups.find(({ name }) => name === path)?.chunks ?? [])
          .map((member) => `export {${names(member, 'out')}} from './${member.name}';`)
          .join('\n'),
      }));
      onLoad({ filter: /.*/, namespace: 'link' }, ({ path }) => ({
        contents: `export {${names(chunk(path), 'in')}} from './${path}';`,
      }));
      onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path }) => ({
        contents: found(texts.get(path), path),
      }));
    },
  };
}

/** The exports of a chunk, renamed on the way out of its group's file or back on the way in. */
function names({ name, exports, isEntry }: Chunk, way: 'out' | 'in'): string {
  const prefix = isEntry ? '' : `${name.replace(/\W/g, '_')}_`;
  return exports
    .map((own) => (way === 'out' ? `${own} as ${prefix}${own}` : `${prefix}${own} as ${own}`))
    .join(',');
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`no chunk ${name}`);
  return value;
}
