import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import { describe, it } from 'node:test';

/** Each folder may import only from the places above it in this list. */
const order = [
  'errors.ts',
  'text.ts',
  'suggest.ts',
  'latest-results.ts',
  'bytes.ts',
  'clock.ts',
  'crypto',
  'protocol',
  'diagnosis',
  'client',
  'emulator',
  'conformance',
  'explore',
  'load',
  'state',
  'reports',
  'relay',
  'watch',
  'ui',
  'monitor',
  'app',
  'library',
  'cli',
  'index.ts',
  'main.ts',
];

/** Pairs that don't know each other although their order would allow it. */
const strangers: readonly (readonly [string, string])[] = [
  ['emulator', 'client'],
  ['conformance', 'emulator'],
  ['explore', 'emulator'],
  ['relay', 'state'],
  ['app', 'state'],
  ['library', 'state'],
  ['cli', 'library'],
  ['index.ts', 'cli'],
  ['index.ts', 'state'],
];

/** The wrong responses that a sign-in meets in `verify` are the faults of the emulated service. */
const isWrongSignin = ({ file, target }: Import) =>
  file.startsWith('conformance/signin-') && target.startsWith('../emulator/faults/');

/** Each third-party package has one home. */
const homes: Readonly<Record<string, string>> = {
  'node-forge': 'crypto',
  undici: 'client',
  'fast-check': 'explore',
  conf: 'state',
  'proper-lockfile': 'state',
  'prom-client': 'monitor',
  yaml: 'cli',
  commander: 'cli',
  chalk: 'cli',
  '@modelcontextprotocol/server': 'cli',
  '@modelcontextprotocol/server/stdio': 'cli',
  '@inquirer/prompts': 'cli',
};

/** Folders without input, output, clock or randomness, and what of Node they may use all the same. */
const pure = [
  'errors.ts',
  'text.ts',
  'suggest.ts',
  'latest-results.ts',
  'bytes.ts',
  'crypto',
  'protocol',
  'diagnosis',
  'explore/model',
  'reports',
];
const pureBuiltins = ['node:buffer', 'node:crypto', 'node:util', 'node:module', 'node:zlib'];

interface Import {
  readonly file: string;
  readonly target: string;
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'));

const texts = new Map(files.map((file) => [file, readFileSync(`src/${file}`, 'utf8')]));

const importing = /(?:from\s+|import\s*\(\s*|import\s+|require\(\s*)'([^']+)'/g;
const imports: readonly Import[] = [...texts].flatMap(([file, text]) =>
  [...withoutComments(text).matchAll(importing)].map(([, target = '']) => ({ file, target })),
);

/** The files whose text is as it must not be. */
const filesWhere = (isWrong: (file: string, text: string) => boolean): readonly string[] =>
  [...texts].filter(([file, text]) => isWrong(file, text)).map(([file]) => file);

const placeOf = (file: string): string => file.split('/', 1)[0] ?? file;
const isPure = (file: string): boolean =>
  pure.some((place) => file === place || file.startsWith(`${place}/`));
const isOwn = ({ target }: Import): boolean => target.startsWith('.');
const ownPlace = ({ file, target }: Import): string =>
  placeOf(normalize(`${dirname(file)}/${target}`).replaceAll('\\', '/'));

describe('architecture', () => {
  it('has a place in the order for every file', () => {
    assert.deepEqual(
      files.filter((file) => !order.includes(placeOf(file))),
      [],
    );
  });

  it('imports only from above', () => {
    const wrong = imports
      .filter(isOwn)
      .filter((found) => order.indexOf(ownPlace(found)) > order.indexOf(placeOf(found.file)));
    assert.deepEqual(wrong, []);
  });

  it('keeps apart what does not know each other', () => {
    const wrong = imports
      .filter(isOwn)
      .filter(
        (found) =>
          strangers.some(([from, to]) => placeOf(found.file) === from && ownPlace(found) === to) &&
          !isWrongSignin(found),
      );
    assert.deepEqual(wrong, []);
  });

  it('imports each package in its home alone', () => {
    const wrong = imports
      .filter((found) => !isOwn(found) && !found.target.startsWith('node:'))
      .filter(({ file, target }) => homes[target] !== placeOf(file));
    assert.deepEqual(wrong, []);
  });

  it('does no input or output in the pure folders', () => {
    const wrong = imports
      .filter(({ file }) => isPure(file))
      .filter(({ target }) => target.startsWith('node:') && !pureBuiltins.includes(target));
    assert.deepEqual(wrong, []);
  });

  it('reads no clock and draws no randomness in the pure folders', () => {
    const forbidden =
      /Date\.now\(|new Date\(\)|Math\.random|performance\.now|\brandomUUID\b|import \{[^}]*\b(?:random(?:Bytes|Int)|generate(?:Prime|KeyPair|Key)(?:Sync)?)\b[^}]*\} from 'node:crypto'/;
    const wrong = filesWhere((file, text) => isPure(file) && forbidden.test(withoutStrings(text)));
    assert.deepEqual(wrong, []);
  });

  it('reads the process in the composition root alone', () => {
    const wrong = filesWhere(
      (file, text) =>
        file !== 'main.ts' && /\bprocess\.\w|'node:process'|\bconsole\./.test(withoutStrings(text)),
    );
    assert.deepEqual(wrong, []);
  });

  it('takes into the page only what runs in a browser', () => {
    const isPage = (file: string) => file.startsWith('ui/') || file.startsWith('watch/view/');
    const fit = /^(?:ui\/|watch\/view\/|text\.ts$|reports\/(?:human|sequence)\.ts$)/;
    const wrong = imports
      .filter(({ file }) => isPage(file))
      .filter(({ file, target }) => !fit.test(normalize(`${dirname(file)}/${target}`)));
    assert.deepEqual(wrong, []);
    const outside = imports.filter(
      ({ file, target }) => !file.startsWith('ui/') && /\/ui\//.test(target),
    );
    assert.deepEqual(outside, []);
  });

  it('makes no markup out of text in the page', () => {
    const wrong = filesWhere(
      (file, text) =>
        file.startsWith('ui/') &&
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/.test(text),
    );
    assert.deepEqual(wrong, []);
  });

  it('mentions flags at the edge alone', () => {
    const edge = ['cli', 'main.ts'];
    const wrong = filesWhere(
      (file, text) =>
        !edge.includes(placeOf(file)) &&
        /['"`\s]--(?:url|json|cipher|ptn-cd|private-key|config|profile|show-secrets)\b/.test(
          withoutComments(text),
        ),
    );
    assert.deepEqual(wrong, []);
  });
});

/** What is in quotes is shown, not run; the names of imports and modules stay. */
function withoutStrings(text: string): string {
  return withoutComments(text).replace(/'(?!node:)(?:[^'\\\n]|\\.)*'|"[^"\n]*"/g, "''");
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
