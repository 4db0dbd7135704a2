import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { emptyLine, readCommandLine } from '../../src/cli/args/command-line.ts';
import { splitWords } from '../../src/cli/args/input.ts';
import { helpTopics } from '../../src/cli/terminal/help.ts';

/** The pages that people read: those of the project, its documentation and its examples. */
export const pages: readonly string[] = [
  ...readdirSync('.'),
  ...['docs', 'examples'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  ),
]
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.md'))
  .sort();

/** Where the page of an example shows its own test runner, which interop/example-tests.release.test.ts runs. */
export const suiteSection = 'Its tests';

/** The blocks of a page that show commands; a page says above one why it isn't run. */
export function blocksOf(page: string) {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/^```(sh|console)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, kind, commands = ''] = match;
    const before = text.slice(0, match.index);
    const above = before.trimEnd().split('\n\n').at(-1) ?? '';
    return {
      kind,
      /** Where it begins, from 1. */
      line: before.split('\n').length,
      text: commands,
      /** The heading above it. */
      section: [...withoutBlocks(before).matchAll(/^#+ (.+)$/gm)].at(-1)?.[1] ?? '',
      notRun: /^Not run by the tests: ([\s\S]+)$/.exec(above)?.[1],
    };
  });
}

/** What a page links to that isn't there; links to other sites are not followed. */
export function brokenLinks(page: string): readonly string[] {
  return linksOf(page).filter((target) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
  });
}

/** What a page links to in this project, as it is written there. */
export function linksOf(page: string): readonly string[] {
  const text = withoutBlocks(readFileSync(page, 'utf8')).replace(/`[^`\n]*`/g, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(file: string): readonly string[] {
  const seen = new Map<string, number>();
  return [...withoutBlocks(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm)].map(
    ([, title = '']) => {
      const plain = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
      const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    },
  );
}

function withoutBlocks(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '');
}

/** Fails where a command line names a command or a flag that isn't there. */
export async function parseCommandLine(line: string): Promise<void> {
  const [program, ...argv] = splitWords(line);
  assert.equal(program, 'authcli');
  if (argv[0] === 'help' && helpTopics.includes(argv[1] ?? '')) return;
  await readCommandLine(argv, emptyLine());
}
