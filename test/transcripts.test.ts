import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { splitWords } from '../src/cli/args/input.ts';
import { run } from './support/run.ts';

/**
 * Runs the commands of `transcripts/*.txt` and compares their exact output.
 *
 *     # a stanza's title
 *     $ authcli key inspect nonsense
 *     standard output, line by line
 *     ! standard error, line by line
 *     exit 1
 *
 * `< text` behind a command is standard input (`\n` a line end). Stanzas of a file share one
 * config file, in their order. `UPDATE_TRANSCRIPTS=1` writes the files anew: read the difference.
 */
interface Stanza {
  readonly title: string;
  readonly command: string;
  readonly expected: string;
}

const folder = 'test/transcripts';
const updating = process.env.UPDATE_TRANSCRIPTS === '1';

for (const file of readdirSync(folder).filter((name) => name.endsWith('.txt'))) {
  describe(`transcript ${file}`, () => {
    const temporary = mkdtempSync(join(tmpdir(), 'authcli-transcript-'));
    const written: string[] = [];
    after(() => {
      rmSync(temporary, { recursive: true, force: true });
      if (updating) writeFileSync(join(folder, file), `${written.join('\n\n')}\n`);
    });
    for (const stanza of stanzasOf(readFileSync(join(folder, file), 'utf8'))) {
      it(stanza.title, async () => {
        const seen = await outputOf(stanza.command, join(temporary, 'config.json'));
        written.push(`# ${stanza.title}\n$ ${stanza.command}\n${seen}`);
        if (!updating) assert.equal(seen, stanza.expected);
      });
    }
  });
}

function stanzasOf(text: string): Stanza[] {
  return text
    .split(/^(?=# )/m)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [title = '', command = '', ...expected] = part.trimEnd().split('\n');
      return { title: title.slice(2), command: command.slice(2), expected: expected.join('\n') };
    });
}

async function outputOf(command: string, configFile: string): Promise<string> {
  const [line = '', stdin = ''] = command.split(' < ');
  const [program, ...argv] = splitWords(line);
  assert.equal(program, 'authcli');
  const result = await run(argv, { configFile, stdin: stdin.replaceAll('\\n', '\n') });
  const lines = (text: string, mark: string): string[] =>
    text === ''
      ? []
      : text
          .replace(/\n$/, '')
          .split('\n')
          .map((row) => (mark + row).trimEnd());
  return [...lines(result.stdout, ''), ...lines(result.stderr, '! '), `exit ${result.status}`]
    .join('\n')
    .replaceAll(configFile, 'CONFIG');
}
