import { type BuildOptions, build } from 'esbuild';
import { asCommonJs } from './program-files.ts';
import { clientOfUndici, plainWasmInUndici, withoutUnreached } from './unreached.ts';

/** The files of a bundle, their paths, and the source files that went into it. */
export interface Bundle {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly inputs: readonly string[];
}

const common = {
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  metafile: true,
  write: false,
} as const satisfies BuildOptions;

/** Bundled CommonJS packages ask for Node's own modules by require(). */
const banner = {
  js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
};

/** The library: ES modules, `dist/index.js` and `dist/load.js`. */
export async function bundleLibrary(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints: [
      { in: 'src/index.ts', out: 'index' },
      { in: 'src/load/library.ts', out: 'load' },
    ],
    // The process is somebody else's: no flag of V8 is set in it, and Node shows the source line of
    // what is thrown, which must be a line then.
    plugins: [withoutUnreached, clientOfUndici],
    chunkNames: 'library/[name]-[hash]',
    banner,
  });
  return { files: outputFiles, inputs: Object.keys(metafile.inputs) };
}

/** What a thread of a load runs, one file of its own, and what Artillery runs of an exported load. */
export async function bundleLoad(): Promise<Bundle> {
  const alone = {
    ...common,
    splitting: false,
    plugins: [withoutUnreached, clientOfUndici],
  };
  const [worker, processor] = await Promise.all([
    build({
      ...alone,
      format: 'cjs',
      outExtension: { '.js': '.cjs' },
      entryPoints: [{ in: 'src/load/worker.ts', out: 'load-worker' }],
    }),
    build({
      ...alone,
      outExtension: { '.js': '.mjs' },
      entryPoints: [{ in: 'src/load/artillery-processor.ts', out: 'artillery/processor' }],
      banner,
    }),
  ]);
  return {
    files: [...worker.outputFiles, ...processor.outputFiles],
    inputs: [...Object.keys(worker.metafile.inputs), ...Object.keys(processor.metafile.inputs)],
  };
}

/** The command line: `dist/main.cjs`, the files that it loads, a few for each command; bin/authcli.js loads them. */
export async function bundleProgram(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints: ['src/main.ts'],
    plugins: [withoutUnreached, clientOfUndici, plainWasmInUndici],
    // Names stay: minified identifiers make start-up slower and stack traces useless.
    minifyWhitespace: true,
    minifySyntax: true,
  });
  return { files: await asCommonJs(outputFiles, metafile), inputs: Object.keys(metafile.inputs) };
}
