import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import { describe, it } from 'node:test';

/** Each folder may import only from the places above it in this list. */
const order =
  'errors.ts text.ts latest-results.ts bytes.ts clock.ts crypto protocol diagnosis client emulator conformance explore load state reports traffic page library cli index.ts main.ts'.split(
    ' ',
  );

/** Pairs that don't know each other although their order would allow it. */
const strangers = new Set([
  ...['emulator client', 'conformance emulator', 'explore emulator', 'traffic state'],
  ...['library state', 'cli library', 'index.ts cli', 'index.ts state'],
]);

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
  'prom-client': 'cli',
  commander: 'cli',
  chalk: 'cli',
  '@modelcontextprotocol/server': 'cli',
  '@modelcontextprotocol/server/stdio': 'cli',
  '@inquirer/prompts': 'cli',
};

/** Folders without input, output, clock or randomness, and what of Node they may use all the same. */
const pure = [
  ...['errors.ts', 'text.ts', 'latest-results.ts', 'bytes.ts'],
  ...['crypto', 'protocol', 'diagnosis', 'explore/model.ts', 'reports'],
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

const placeOf = (file: string): string => file.split('/', 1)[0] ?? file;
const isPure = (file: string): boolean =>
  pure.some((place) => file === place || file.startsWith(`${place}/`));
const isOwn = ({ target }: Import): boolean => target.startsWith('.');
const ownPlace = ({ file, target }: Import): string =>
  placeOf(normalize(`${dirname(file)}/${target}`).replaceAll('\\', '/'));

/** Fails with the imports of which this is true. */
const noImport = (isWrong: (found: Import) => boolean) =>
  assert.deepEqual(imports.filter(isWrong), []);

/** Fails with the files whose text this matches. */
const noFile = (isChosen: (file: string) => boolean, wrong: RegExp, strip = withoutStrings) => {
  const found = [...texts].filter(([file, text]) => isChosen(file) && wrong.test(strip(text)));
  assert.deepEqual(
    found.map(([file]) => file),
    [],
  );
};

describe('architecture', () => {
  it('has a place in the order for every file, which imports only from above', () => {
    assert.deepEqual(
      files.filter((file) => !order.includes(placeOf(file))),
      [],
    );
    noImport(
      (found) =>
        isOwn(found) && order.indexOf(ownPlace(found)) > order.indexOf(placeOf(found.file)),
    );
  });

  it('keeps apart what does not know each other', () => {
    noImport((found) => {
      const pair = `${placeOf(found.file)} ${ownPlace(found)}`;
      return isOwn(found) && strangers.has(pair) && !isWrongSignin(found);
    });
  });

  it('imports each package in its home alone', () => {
    noImport((found) => {
      const isPackage = !isOwn(found) && !found.target.startsWith('node:');
      return isPackage && homes[found.target] !== placeOf(found.file);
    });
  });

  it('does no input or output, reads no clock and draws no randomness in the pure folders', () => {
    noImport(
      ({ file, target }) =>
        isPure(file) && target.startsWith('node:') && !pureBuiltins.includes(target),
    );
    noFile(
      isPure,
      /Date\.now\(|new Date\(\)|Math\.random|performance\.now|\brandomUUID\b|import \{[^}]*\b(?:random(?:Bytes|Int)|generate(?:Prime|KeyPair|Key)(?:Sync)?)\b[^}]*\} from 'node:crypto'/,
    );
  });

  it('reads the process in the composition root alone', () => {
    noFile((file) => file !== 'main.ts', /\bprocess\.\w|'node:process'|\bconsole\./);
  });

  it('takes into the page only what runs in a browser, and makes no markup out of text there', () => {
    const isPage = (file: string) => /^page\/(?:browser\/|wire\.ts$)/.test(file);
    const isFit = (file: string) => isPage(file) || /^(?:text|reports\/human)\.ts$/.test(file);
    noImport(({ file, target }) => isPage(file) && !isFit(normalize(`${dirname(file)}/${target}`)));
    noImport(({ file, target }) => !isPage(file) && /\/browser\//.test(target));
    const markup = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/;
    noFile(isPage, markup, (text) => text);
  });

  it('takes few files to understand a command or a check', () => {
    assert.ok(reachedFrom('cli/key/generate.ts').size < 60);
    assert.ok(reachedFrom('conformance/checks/key-exchange/answers-success.ts').size < 40);
  });

  it('mentions flags at the edge alone', () => {
    const flags = /['"`\s]--(?:url|json|cipher|ptn-cd|private-key|config|profile|show-secrets)\b/;
    noFile((file) => !['cli', 'main.ts'].includes(placeOf(file)), flags, withoutComments);
  });
});

/** The file and what it imports, also through others, types included; not what is loaded when it is needed. */
function reachedFrom(first: string): ReadonlySet<string> {
  const reached = new Set([first]);
  for (const file of reached) {
    const known = /(?:from\s+|import\((?=[^)]*\)\.[A-Z]))'(\.[^']+)'/g;
    for (const [, target = ''] of texts.get(file)?.matchAll(known) ?? []) {
      reached.add(normalize(`${dirname(file)}/${target}`).replaceAll('\\', '/'));
    }
  }
  return reached;
}

/** What is in quotes is shown, not run; the names of imports and modules stay. */
function withoutStrings(text: string): string {
  return withoutComments(text).replace(/'(?!node:)(?:[^'\\\n]|\\.)*'|"[^"\n]*"/g, "''");
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
