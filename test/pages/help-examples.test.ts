import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { findCommand, parseFlags, splitCommandLine } from '../../src/cli/args/command-line.ts';
import { globalFlags } from '../../src/cli/args/global-flags.ts';
import { splitWords } from '../../src/cli/args/input.ts';
import { commands } from '../../src/cli/commands/index.ts';
import { helpTopics } from '../../src/cli/terminal/help-topics.ts';

/*
 * The examples of every command, which docs/cli.md shows too: they name files and users of their
 * readers, so they aren't run by commands.ci.test.ts; that commands and flags are right is checked here.
 */

const blocks = [...readFileSync('docs/cli.md', 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)];
const lines = blocks
  .flatMap(([, text = '']) => text.split('\n'))
  .filter((line) => !/^#|^$/.test(line));

/** The command lines of authcli in a line of a shell, without what the shell takes for itself. */
function commandLinesIn(line: string): readonly string[] {
  return line
    .split(/ \|\| | \| | -- | && |; |\$\(/)
    .map((part) => part.replace(/\)"?$/, '').replace(/ [<>]+ ?\S+/g, ''))
    .map((part) => part.replace(/^(?:[A-Z_]+=\S+ )+/, '').trim())
    .filter((part) => part.startsWith('authcli '));
}

describe('the examples of the help', () => {
  it('are found', () => assert.ok(lines.length > 100, `${lines.length}`));

  for (const line of lines) {
    it(`can be parsed: ${line}`, async () => {
      const found = commandLinesIn(line);
      assert.ok(found.length > 0);
      for (const command of found) {
        const [, ...argv] = splitWords(command);
        if (argv[0] === 'help' && helpTopics.includes(argv[1] ?? '')) continue;
        const { words, rest } = splitCommandLine(argv, commands);
        const { path, flags } = await findCommand(words, commands).load();
        parseFlags(path, { ...flags, ...globalFlags }, rest);
      }
    });
  }
});
