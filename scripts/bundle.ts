import { type InputOptions, type OutputOptions, type RolldownOutput, rolldown } from 'rolldown';
import { aliases } from './aliases.ts';

/** The files of a bundle, their paths, and the source files that went into it. */
export interface Bundle {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly inputs: readonly string[];
}

const forNode = {
  platform: 'node',
  transform: { target: 'node20.19' },
  plugins: [aliases],
} as const satisfies InputOptions;

/** Names stay: minified ones make start-up slower and stack traces useless. */
const withoutSpace = {
  mangle: false,
  compress: true,
  codegen: { removeWhitespace: true },
} as const satisfies OutputOptions['minify'];

/**
 * The command line: `dist/main.cjs`, in one chunk what every command loads, and the chunks of single commands.
 * CommonJS, since Node's loader of ES modules costs a quarter of its start.
 */
export function bundleProgram(): Promise<Bundle> {
  return bundle(
    { ...forNode, input: { main: 'src/main.ts' } },
    {
      format: 'cjs',
      exports: 'named',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
      codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] },
      minify: withoutSpace,
    },
  );
}

/** The library: ES modules, `dist/index.js` and `dist/load.js`, readable in stack traces. */
export function bundleLibrary(): Promise<Bundle> {
  return bundle(
    { ...forNode, input: { index: 'src/index.ts', load: 'src/load/library.ts' } },
    { format: 'esm', chunkFileNames: 'library/[name]-[hash].js' },
  );
}

/** What Artillery runs of an exported load: one file, since `load export` copies it. */
export function bundleProcessor(): Promise<Bundle> {
  return bundle(
    { ...forNode, input: { 'artillery/processor': 'src/load/artillery-processor.ts' } },
    { format: 'esm', entryFileNames: '[name].mjs', codeSplitting: false, minify: true },
  );
}

/** Bundles in memory: nothing is written before everything is there. */
export async function bundle(input: InputOptions, output: OutputOptions): Promise<Bundle> {
  const build = await rolldown({ ...input, checks: { ineffectiveDynamicImport: false } });
  try {
    return bundleOf(await build.generate({ comments: { jsdoc: false }, ...output }));
  } finally {
    await build.close();
  }
}

function bundleOf({ output }: RolldownOutput): Bundle {
  const chunks = output.filter((file) => file.type === 'chunk');
  return {
    files: chunks.map(({ fileName, code }) => ({ path: `dist/${fileName}`, text: code })),
    inputs: chunks.flatMap(({ moduleIds }) => moduleIds),
  };
}
