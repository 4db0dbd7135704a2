/** Builds dist/: the command line and the library, one bundle split by command, and the types. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { build, type Plugin } from 'esbuild';
import { writeNotices } from './notices.ts';

/** conf validates with ajv only when it is given a schema, which it isn't: 150 kB less to read at each start. */
const withoutAjv: Plugin = {
  name: 'without-ajv',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^ajv/ }, ({ path }) => ({ path, namespace: 'without-ajv' }));
    onLoad({ filter: /.*/, namespace: 'without-ajv' }, () => ({
      contents: 'export class Ajv2020 {}; export default () => {};',
    }));
  },
};

rmSync('dist', { recursive: true, force: true });

const { metafile } = await build({
  entryPoints: ['src/main.ts', 'src/index.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  // Names stay: minified identifiers make start-up slower and stack traces useless.
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
  plugins: [withoutAjv],
  // Bundled CommonJS packages ask for Node's own modules by require().
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});

writeNotices(Object.keys(metafile.inputs), 'THIRD_PARTY_NOTICES');

const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
execFileSync(
  process.execPath,
  [typescript.replace(/package\.json$/, 'bin/tsc'), '-p', 'tsconfig.build.json'],
  { stdio: 'inherit' },
);
