import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Parts of packages that are never reached from here, by their files: each would be read and
 * compiled at every start that needs its package. What it saves is in docs/performance.md.
 */
const unreached: readonly { readonly file: RegExp; readonly instead: string }[] = [
  // src/cli/help.ts writes the help; "did you mean" asks for the names of the options.
  {
    file: /commander\/lib\/help\.js$/,
    instead: `exports.Help = class {
      prepareContext() {}
      visibleOptions(command) { return command.options; }
      visibleCommands(command) { return command.commands; }
    };
    exports.stripColor = (text) => text;`,
  },
  // A connection offers HTTP/1.1 alone, and sends bytes or nothing.
  { file: /undici\/lib\/dispatcher\/client-h2\.js$/, instead: 'module.exports = undefined;' },
  { file: /undici\/lib\/web\/fetch\/body\.js$/, instead: 'module.exports = {};' },
  // proper-lockfile is given the file operations that it uses; this one changes Node's own besides.
  { file: /\/graceful-fs\/graceful-fs\.js$/, instead: "module.exports = require('node:fs');" },
  // conf validates with ajv only when it is given a schema, which it isn't.
  { file: /\/ajv\/dist\/2020\.js$/, instead: 'exports.Ajv2020 = class {};' },
  { file: /\/ajv-formats\/dist\/index\.js$/, instead: 'module.exports = () => {};' },
];

/** Modules of Node that are loaded and never reached, or seldom, by the files that ask for them. */
const unreachedOfNode: readonly {
  readonly name: string;
  readonly from: RegExp;
  readonly instead: string;
}[] = [
  // Commander starts programs for subcommands that are files of their own: there are none.
  { name: 'node:child_process', from: /\/commander\//, instead: '' },
  // undici looks whether a body is an answer of Node's server, and for a limit that it is given.
  { name: 'node:http', from: /\/undici\//, instead: 'exports.IncomingMessage = class {};' },
  // It calls assert as a function alone.
  {
    name: 'node:assert',
    from: /\/undici\//,
    instead: `module.exports = (value, message) => {
      if (!value) throw new Error(message ?? 'undici is in a state that it should not be in');
    };`,
  },
  // It asks whether a handler is a function, which proper-lockfile's is.
  { name: 'assert', from: /\/signal-exit\//, instead: 'exports.equal = () => {};' },
  // Few applications under test speak TLS.
  {
    name: 'node:tls',
    from: /\/src\/client\/(?:connect|tls-options)\.ts$/,
    instead: `
      for (const name of ['connect', 'createSecureContext', 'checkServerIdentity']) {
        exports[name] = (...args) => require('node:tls')[name](...args);
      }`,
  },
];

/**
 * On Node 20 V8 optimises llhttp's WebAssembly at exit, 70 ms that no short run gets back, and makes
 * machine code of functions that it has met a few times, another 4: the first is not done at all, the
 * second for what is met more often. The flags are set at the last moment: with any of them changed,
 * V8 refuses the compiled code that Node brings of its own modules, and those loaded afterwards take
 * 7 ms longer.
 */
const plainWasm = `
const wasmFile = (name) => {
  const { join } = require('node:path');
  return require('node:fs').readFileSync(join(__dirname, name));
};

const plainWasm = (bytes) => {
  if (Number.parseInt(process.versions.node, 10) < 22) {
    const { setFlagsFromString } = require('node:v8');
    setFlagsFromString('--liftoff-only');
    setFlagsFromString('--baseline-batch-compilation-threshold=1048576');
    setFlagsFromString('--interrupt-budget=540672');
  }
  return new WebAssembly.Module(bytes);
};
`;

/** Leaves out what is never reached. */
export const withoutUnreached: Plugin = {
  name: 'without-unreached',
  setup({ onLoad, onResolve }) {
    for (const { file, instead } of unreached) {
      onLoad({ filter: file }, () => ({ contents: instead, loader: 'js' }));
    }
    for (const { name, from, instead } of unreachedOfNode) {
      const namespace = `unreached:${name}`;
      onResolve({ filter: new RegExp(`^${name}$`) }, ({ importer }) =>
        from.test(importer) ? { path: name, namespace } : undefined,
      );
      onLoad({ filter: /.*/, namespace }, () => ({ contents: instead, loader: 'js' }));
    }
  },
};

/** Of llhttp's constants those that undici names: it has them as a program that makes thirty tables. */
const constantsOfUndici: Plugin = {
  name: 'constants-of-undici',
  setup({ onLoad }) {
    onLoad({ filter: /undici\/lib\/llhttp\/constants\.js$/ }, async ({ path }) => {
      const user = join(dirname(path), '../dispatcher/client-h1.js');
      const named = (await readFile(user, 'utf8')).matchAll(/\bconstants\.([A-Z]\w*)/g);
      const all = createRequire(import.meta.url)(path) as Readonly<Record<string, unknown>>;
      const used = Object.fromEntries(
        [...named].map(([, name = '']) => {
          if (!(name in all)) throw new Error(`${path} no longer has ${name}`);
          return [name, all[name]];
        }),
      );
      return { contents: `module.exports = ${JSON.stringify(used)};` };
    });
  },
};

/**
 * Takes the Client alone out of undici, whose own entry loads agents, fetch and caches too. Its
 * `connect`, for tunnels, is loaded when one is asked for.
 */
export const clientOfUndici: Plugin = {
  name: 'client-of-undici',
  setup(build) {
    constantsOfUndici.setup(build);
    const { onLoad, onResolve } = build;
    onResolve({ filter: /^undici$/ }, ({ resolveDir }) => ({
      path: resolveDir,
      namespace: 'client-of-undici',
    }));
    onLoad({ filter: /.*/, namespace: 'client-of-undici' }, ({ path }) => ({
      contents: `
        exports.Client = class extends require('undici/lib/dispatcher/client.js') {
          connect(...args) {
            return require('undici/lib/api/api-connect.js').apply(this, args);
          }
        };`,
      resolveDir: path,
    }));
  },
};

/** The WebAssembly of llhttp, as files: undici has it in Base64, which is read, kept compiled and decoded besides. */
export function wasmOfUndici(): readonly { readonly path: string; readonly bytes: Uint8Array }[] {
  const require = createRequire(import.meta.url);
  return ['llhttp', 'llhttp_simd'].map((name) => ({
    path: `dist/${name}.wasm`,
    bytes: require(`undici/lib/llhttp/${name}-wasm.js`) as Uint8Array,
  }));
}

/** Keeps V8 from optimising WebAssembly at exit, for a process that is authcli's own. */
export const plainWasmInUndici: Plugin = {
  name: 'plain-wasm-in-undici',
  setup({ onLoad }) {
    onLoad({ filter: /undici\/lib\/dispatcher\/client-h1\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const calls = text
        .replaceAll('new WebAssembly.Module(', 'plainWasm(')
        .replaceAll(/require\('\.\.\/llhttp\/(llhttp\w*)-wasm\.js'\)/g, "wasmFile('$1.wasm')");
      if (calls.split('plainWasm(').length !== 3 || calls.split('wasmFile(').length !== 4) {
        throw new Error(`${path} no longer compiles WebAssembly where it did`);
      }
      return { contents: plainWasm + calls };
    });
  },
};
