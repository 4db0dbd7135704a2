import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { parseCommandLine } from './pages.ts';

/*
 * The examples of every command, which docs/cli.md shows too: they name files and users of their
 * readers, so they aren't run by commands.ci.test.ts; that commands and flags are right is checked here.
 */

/** The command lines of authcli in a line of a shell, without what the shell takes for itself. */
function commandLinesIn(line: string): readonly string[] {
  return line
    .split(/ \|\| | \| | -- | && |; |\$\(/)
    .map((part) => part.replace(/\)"?$/, '').replace(/ [<>]+ ?\S+/g, ''))
    .map((part) => part.replace(/^(?:[A-Z_]+=\S+ )+/, '').trim())
    .filter((part) => part.startsWith('authcli '));
}

it('the examples of the help can be parsed', async () => {
  const blocks = readFileSync('docs/cli.md', 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm);
  const lines = [...blocks].flatMap(([, text = '']) => text.split('\n'));
  const examples = lines.filter((line) => !/^#|^$/.test(line));
  assert.ok(examples.length > 100, `${examples.length}`);
  for (const line of examples) {
    const found = commandLinesIn(line);
    assert.ok(found.length > 0, line);
    for (const command of found) await parseCommandLine(command);
  }
});
