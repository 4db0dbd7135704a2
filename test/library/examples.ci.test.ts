import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';

/*
 * Every example of the library's own documentation, in TSDoc and in docs/library.md, is compiled
 * against the types that are published, and run with what is published. A comment behind a
 * console.log says what it prints.
 */

const folder = fs.mkdtempSync(join(tmpdir(), 'authcli-examples-'));
after(() => fs.rmSync(folder, { recursive: true, force: true }));

const sources = fs.readdirSync('src/library').map((file) => `src/library/${file}`);
const examples = [
  ...sources.flatMap((file) => examplesIn(file, /^ \* @example\n \* ```ts\n(.*?)^ \* ```$/gms)),
  ...examplesIn('docs/library.md', /^```ts\n(.*?)^```$/gms),
];

function examplesIn(file: string, block: RegExp) {
  return [...fs.readFileSync(file, 'utf8').matchAll(block)].map(([, code = ''], index) => ({
    name: `${file.replace(/\W/g, '-')}-${index}`,
    code: code.replace(/^ \* ?/gm, ''),
  }));
}

/** What the comments behind `console.log` promise, in their order. */
function promised(code: string): readonly string[] {
  const lines = [...code.matchAll(/^\s*console\.log\(.*\);(?: \/\/ (.*)|\n\/\/ (.*))?$/gm)];
  return lines.map(([, beside, below]) => beside ?? below ?? '');
}

/** Runs the examples one after another in one process, and writes what each printed as JSON. */
const runner = `
import { format } from 'node:util';
const printed = {};
for (const name of JSON.parse(process.argv[2])) {
  const lines = (printed[name] = []);
  console.log = (...values) => lines.push(format(...values));
  try {
    await import('./out/' + name + '.js');
  } catch (error) {
    lines.push('threw ' + format(error));
  }
}
process.stdout.write(JSON.stringify(printed));
`;

describe("the library's examples", () => {
  let printed: Readonly<Record<string, readonly string[]>> = {};

  before(() => {
    const write = (name: string, text: string) => fs.writeFileSync(join(folder, name), text);
    fs.mkdirSync(join(folder, 'node_modules'));
    for (const [path, name] of [
      ['.', 'authcli'],
      ['node_modules/@types', '@types'],
    ] as const)
      fs.symlinkSync(resolve(path), join(folder, 'node_modules', name));
    write('package.json', '{"type":"module"}');
    for (const { name, code } of examples) write(`${name}.ts`, `${code}\nexport {};\n`);
    const options = { module: 'nodenext', target: 'es2022', strict: true, types: ['node'] };
    const compilerOptions = { ...options, outDir: 'out', rootDir: '.', skipLibCheck: false };
    write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    write('run.mjs', runner);
    const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
    node(join(dirname(typescript), 'bin/tsc'), '-p', folder);
    const names = JSON.stringify(examples.map(({ name }) => name));
    printed = JSON.parse(node(join(folder, 'run.mjs'), names));
  });

  it('are found', () => assert.ok(examples.length >= 12, `${examples.length}`));

  for (const { name, code } of examples) {
    it(`${name} prints what it says`, () => {
      const text = (printed[name] ?? ['threw: did not run']).join('\n');
      assert.doesNotMatch(text, /^threw/m);
      for (const line of promised(code)) assert.ok(text.includes(line), text);
    });
  }
});

function node(script: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
    timeout: 120_000,
  });
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}
