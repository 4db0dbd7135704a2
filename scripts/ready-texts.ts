import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { commands } from '../src/cli/commands/index.ts';
import { completionSpec } from '../src/cli/complete/completion-spec.ts';
import { widestHelp } from '../src/cli/terminal/help.ts';
import { helpOn, helpTopics } from '../src/cli/terminal/help-topics.ts';
import { manPages } from './man-pages.ts';

/**
 * The texts that bin/authcli.js prints before it loads anything, by their file in dist/: the version,
 * and each help at `help/` and its words. They are what the program itself would print. Beside them the
 * manual pages, at `man/`, the commands for completion, and the OpenAPI document in JSON.
 */
export async function readyTexts(): Promise<ReadonlyMap<string, string>> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const texts = new Map([['version.txt', `${version}\n`]]);
  for (const path of helpPaths()) {
    const words = path === '' ? [] : path.split(' ');
    const text = await helpOn(words, commands, widestHelp);
    texts.set(`${['help', ...words].join('/')}.txt`, `${text.trimEnd()}\n`);
  }
  for (const [name, text] of await manPages(version)) texts.set(`man/${name}`, text);
  const interfaceYaml = readFileSync('schemas/openapi.yaml', 'utf8');
  texts.set('openapi.json', JSON.stringify(parse(interfaceYaml)));
  texts.set('completion.json', JSON.stringify(await completionSpec(commands)));
  return texts;
}

/** Everything there is help on: the program, groups of commands, commands, topics. */
function helpPaths(): readonly string[] {
  const paths = commands.flatMap(({ path }) => {
    const words = path.split(' ');
    return words.map((_, index) => words.slice(0, index + 1).join(' '));
  });
  return [...new Set(['', ...paths, ...helpTopics])];
}
