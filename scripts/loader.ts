import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

/*
 * `dist/loader.cjs`: loads the files that the program is in, each a function of what a CommonJS file
 * has. Node's own require would look for links and packages at each, and compile it anew; with the
 * code that the build compiled a start takes a quarter to a third less. That code is for one release
 * of Node and one set of its flags: V8 refuses it for any other, and compiles as always.
 */

/** A file of the program, as a function. */
type Body = (
  exports: object,
  require: (id: string) => unknown,
  module: Module,
  dir: string,
) => void;

interface Module {
  exports: object;
}

/** What is loaded, for the build, which keeps the compiled code of it. */
export const scripts = new Map<string, Script>();

/** Where compiled code is, as files of the same names. */
export const compiledFolder = join(__dirname, 'compiled', `${process.version}-${process.arch}`);

const modules = new Map<string, Module>();

/** The exports of a file of dist/, which is loaded once. */
export function load(name: string): object {
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(name, module);
  bodyOf(name)(module.exports, requireFor, module, __dirname);
  return module.exports;
}

function bodyOf(name: string): Body {
  const filename = join(__dirname, name);
  // esbuild writes ASCII, which needs no decoding.
  const script = new Script(readFileSync(filename, 'latin1'), {
    filename,
    cachedData: compiledCode(name),
  });
  scripts.set(name, script);
  return script.runInThisContext() as Body;
}

function requireFor(id: string): unknown {
  return id.startsWith('./') ? load(id.slice(2)) : require(id);
}

function compiledCode(name: string): Buffer | undefined {
  try {
    return readFileSync(join(compiledFolder, name));
  } catch {
    return undefined; // installed from a package, or run by another Node than built it
  }
}
