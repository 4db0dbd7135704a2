import { type InputOptions, type OutputChunk, type OutputOptions, rolldown } from 'rolldown';
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

/** The names of functions and classes stay: stack traces are read by them. */
const minified = {
  mangle: { toplevel: true, keepNames: true },
  compress: true,
  codegen: { removeWhitespace: true },
} as const satisfies OutputOptions['minify'];

/**
 * The command line, `dist/main.cjs`, the library, `dist/index.js`, and what Artillery runs of an exported load, which share
 * their chunks. What every command loads is in two of them, one of which the library loads too. They are CommonJS, since Node's loader
 * of ES modules costs a quarter of a command's start; a module for `import` names what the library exports.
 */
export async function bundleProgram(): Promise<Bundle> {
  const entries = {
    main: 'src/main.ts',
    index: 'src/index.ts',
    artillery: 'src/load/artillery-processor.ts',
  };
  const input = { ...forNode, input: entries };
  const output: OutputOptions = {
    format: 'cjs',
    exports: 'named',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    minify: minified,
  };
  const parts = await chunksOf(input, output);
  const started = modulesOf('main', parts);
  const shared = modulesOf('index', parts);
  const groups = [
    { name: 'shared', test: (id: string) => started.has(id) && shared.has(id) },
    { name: 'start', test: (id: string) => started.has(id) && !shared.has(id) },
  ];
  const chunks = await chunksOf(input, { ...output, codeSplitting: { groups } });
  const { exports = [] } = chunks.find(({ isEntry, name }) => isEntry && name === 'index') ?? {};
  const module = {
    path: 'dist/index.js',
    text: `import library from './index.cjs';\nexport const { ${exports.join(', ')} } = library;\n`,
  };
  const { files, inputs } = bundleOf(chunks);
  return { files: [...files, module], inputs };
}

/** The modules that an entry imports, also through others. */
function modulesOf(entry: string, chunks: readonly OutputChunk[]): Set<string> {
  const reached = new Set(chunks.filter(({ isEntry, name }) => isEntry && name === entry));
  for (const { imports } of reached) {
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) reached.add(chunk);
  }
  return new Set([...reached].flatMap(({ moduleIds }) => moduleIds));
}

/** Bundles in memory: nothing is written before everything is there. */
export async function bundle(input: InputOptions, output: OutputOptions): Promise<Bundle> {
  return bundleOf(await chunksOf(input, output));
}

async function chunksOf(input: InputOptions, output: OutputOptions): Promise<OutputChunk[]> {
  const build = await rolldown({ ...input, checks: { ineffectiveDynamicImport: false } });
  try {
    const { output: files } = await build.generate({
      comments: { jsdoc: false, annotation: false },
      ...output,
    });
    return files.filter((file) => file.type === 'chunk');
  } finally {
    await build.close();
  }
}

function bundleOf(chunks: readonly OutputChunk[]): Bundle {
  return {
    files: chunks.map(({ fileName, code }) => ({ path: `dist/${fileName}`, text: code })),
    inputs: chunks.flatMap(({ moduleIds }) => moduleIds),
  };
}
