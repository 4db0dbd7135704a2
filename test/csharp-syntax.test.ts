import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { before, describe, it } from 'node:test';
import type * as TreeSitter from '@vscode/tree-sitter-wasm';

/*
 * The example in C# can't be compiled here, since neither npm nor Debian has a .NET SDK. Its syntax is
 * checked against the grammar.
 */

const require = createRequire(import.meta.url);
// The package is CommonJS, and Node doesn't recognise its exports.
const { Language, Parser } = require('@vscode/tree-sitter-wasm') as typeof TreeSitter;
let parser: TreeSitter.Parser;

function isCSharp(text: string): boolean {
  const tree = parser.parse(text);
  assert.ok(tree !== null);
  return !tree.rootNode.hasError;
}

describe('the syntax of the example in C#', () => {
  before(async () => {
    await Parser.init();
    parser = new Parser();
    const grammar = '@vscode/tree-sitter-wasm/wasm/tree-sitter-c-sharp.wasm';
    parser.setLanguage(await Language.load(require.resolve(grammar)));
  });

  for (const file of ['Program.cs', 'tests/ApplicationTests.cs']) {
    const text = readFileSync(`examples/csharp/${file}`, 'utf8');

    it(`is right in ${file}`, () => assert.ok(isCSharp(text)));

    for (const token of [';\n', ')', '{\n', '=>']) {
      it(`is wrong in ${file} without one ${token.trim()}`, () => {
        assert.ok(!isCSharp(text.replace(token, '')));
      });
    }
  }
});
