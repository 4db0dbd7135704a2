import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';

/*
 * Every example of the library's own documentation, in TSDoc and in docs/library.md, is compiled
 * against the types that are published, and run with what is published. A comment behind a
 * console.log says what it prints.
 */

interface Example {
  readonly name: string;
  readonly code: string;
}

const folder = mkdtempSync(join(tmpdir(), 'authcli-examples-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const examples = [...examplesInSource(), ...examplesInPage('docs/library.md')];

function examplesInSource(): Example[] {
  return readdirSync('src/library').flatMap((file) => {
    const text = readFileSync(`src/library/${file}`, 'utf8');
    const blocks = [...text.matchAll(/^ \* @example\n \* ```ts\n([\s\S]*?)^ \* ```$/gm)];
    return blocks.map(([, block = ''], index) => ({
      name: `src-${file.replace('.ts', '')}-${index}`,
      code: block.replace(/^ \* ?/gm, ''),
    }));
  });
}

function examplesInPage(page: string): Example[] {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)];
  return blocks.map(([, code = ''], index) => ({
    name: `${page.replace(/\W/g, '-')}-${index}`,
    code,
  }));
}

/** What the comments behind `console.log` promise, in their order. */
function promised(code: string): readonly string[] {
  const lines = [...code.matchAll(/^\s*console\.log\(.*\);(?: \/\/ (.*)|\n\/\/ (.*))?$/gm)];
  return lines.map(([, beside, below]) => beside ?? below ?? '');
}

/** Runs the examples one after another in one process, and writes what each printed as JSON. */
const runner = `
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
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(resolve('.'), join(folder, 'node_modules', 'authcli'));
    symlinkSync(resolve('node_modules/@types'), join(folder, 'node_modules', '@types'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    for (const { name, code } of examples) {
      writeFileSync(join(folder, `${name}.ts`), `${code}\nexport {};\n`);
    }
    const options = { module: 'nodenext', target: 'es2022', strict: true, types: ['node'] };
    const compilerOptions = { ...options, outDir: 'out', rootDir: '.', skipLibCheck: false };
    const config = { compilerOptions, include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    writeFileSync(join(folder, 'run.mjs'), `import { format } from 'node:util';${runner}`);
    const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
    node(join(dirname(typescript), 'bin/tsc'), '-p', folder);
    const names = JSON.stringify(examples.map(({ name }) => name));
    printed = JSON.parse(node(join(folder, 'run.mjs'), names));
  });

  it('are found', () => assert.ok(examples.length >= 12, `${examples.length}`));

  for (const { name, code } of examples) {
    it(`${name} prints what it says`, () => {
      const lines = printed[name] ?? ['did not run'];
      assert.deepEqual(
        lines.filter((line) => line.startsWith('threw ')),
        [],
      );
      for (const line of promised(code)) assert.ok(lines.join('\n').includes(line), `${lines}`);
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
