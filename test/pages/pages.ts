import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { findCommand, parseFlags, splitCommandLine } from '../../src/cli/args/command-line.ts';
import { globalFlags } from '../../src/cli/args/global-flags.ts';
import { splitWords } from '../../src/cli/args/input.ts';
import { commands } from '../../src/cli/commands/index.ts';
import { helpTopics } from '../../src/cli/terminal/help-topics.ts';

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

/** A block of a page that shows commands. */
export interface Block {
  readonly kind: 'sh' | 'console';
  /** The line of the page on which it begins, from 1. */
  readonly line: number;
  readonly text: string;
  /** The heading above it. */
  readonly section: string;
  /** Why it isn't run, where the page says so above it. */
  readonly notRun?: string;
}

/** The blocks of a page that are marked `sh` or `console`. */
export function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(/^```(sh|console)\n([\s\S]*?)^```$/gm)].map((match) => {
    const before = text.slice(0, match.index);
    const above = before.trimEnd().split('\n\n').at(-1) ?? '';
    const [, notRun] = /^Not run by the tests: ([\s\S]+)$/.exec(above) ?? [];
    return {
      kind: match[1] === 'sh' ? 'sh' : 'console',
      line: before.split('\n').length,
      text: match[2] ?? '',
      section: [...withoutBlocks(before).matchAll(/^#+ (.+)$/gm)].at(-1)?.[1] ?? '',
      ...(notRun !== undefined && { notRun }),
    };
  });
}

/** What is wrong with the links of a page; links to other sites are not followed. */
export function brokenLinks(page: string): readonly string[] {
  return linksOf(page).filter((target) => !isThere(target, page));
}

/** What a page links to in this project, as it is written there. */
export function linksOf(page: string): readonly string[] {
  const text = withoutCode(readFileSync(page, 'utf8'));
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

function isThere(target: string, page: string): boolean {
  const [path = '', anchor] = target.split('#');
  const folder = dirname(page);
  const file = path === '' ? page : `${folder === '.' ? '' : `${folder}/`}${path}`;
  if (!existsSync(file)) return false;
  return anchor === undefined || anchorsOf(file).includes(anchor);
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

function withoutCode(text: string): string {
  return withoutBlocks(text).replace(/`[^`\n]*`/g, '');
}

/** Fails where a command line names a command or a flag that isn't there. */
export async function parseCommandLine(line: string): Promise<void> {
  const [program, ...argv] = splitWords(line);
  assert.equal(program, 'authcli');
  if (argv[0] === 'help' && helpTopics.includes(argv[1] ?? '')) return;
  const { words, rest } = splitCommandLine(argv, commands);
  const { path, flags } = await findCommand(words, commands).load();
  parseFlags(path, { ...flags, ...globalFlags }, rest);
}
