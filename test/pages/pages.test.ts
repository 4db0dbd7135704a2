import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { exitStatus } from '../../src/cli/exit-status.ts';
import { signinChecks } from '../../src/conformance/signin-catalogue.ts';
import { blocksOf, brokenLinks, linksOf, pages, parseCommandLine } from './pages.ts';

const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };

/** Whether npm packs a file or folder. */
function isPacked(path: string): boolean {
  const isListed = ['README.md', ...files].some((each) => `${path}/`.startsWith(`${each}/`));
  return isListed && !files.includes(`!${path}`);
}

/** How the index mentions a page of its folder. */
const linkTo = (name: string) => (isPacked(`docs/${name}`) ? `](${name})` : `\`docs/${name}\``);

describe('the pages', () => {
  it('link to files and headings that there are', () => {
    for (const page of pages) assert.deepEqual(brokenLinks(page), [], page);
  });

  it('of docs/ are all in its index', () => {
    const index = readFileSync('docs/README.md', 'utf8');
    for (const [, name] of pages.flatMap((page) => [...page.matchAll(/^docs\/([^/]+\.md)$/g)]))
      assert.ok(name === 'README.md' || index.includes(linkTo(`${name}`)), name);
  });

  it('list every check of the sign-in with its decision, and no other', () => {
    const page = readFileSync('docs/integrate.md', 'utf8');
    const listed = [...page.matchAll(/`(signin\/[a-z-]+)`/g)].map(([, id]) => id ?? '');
    const ids = signinChecks.map(({ id }) => id);
    assert.deepEqual([...new Set(listed)].sort(), ids.toSorted());
  });

  it('of the package link to nothing outside of it', () => {
    for (const page of pages.filter(isPacked)) {
      const targets = linksOf(page).map((target) => target.replace(/#.*/, ''));
      const outside = targets.filter((path) => path && !isPacked(join(dirname(page), path)));
      assert.deepEqual(outside, [], page);
    }
  });

  it('give a reason for each of the few blocks that are not run', () => {
    const notRun = pages.flatMap((page) => blocksOf(page).map(({ notRun }) => notRun));
    const reasons = notRun.filter((reason) => reason !== undefined);
    assert.ok(reasons.length <= 9, reasons.join('\n'));
    for (const reason of reasons) assert.match(reason, /\w+ \w+ \w+/);
  });
});

/** The command lines of authcli in a line of a shell, without what the shell takes for itself. */
function commandLinesIn(line: string): readonly string[] {
  return line
    .split(/ \|\| | \| | -- | && |; |\$\(/)
    .map((part) => part.replace(/\)"?$/, '').replace(/ [<>]+ ?\S+/g, ''))
    .map((part) => part.replace(/^(?:[A-Z_]+=\S+ )*(?:npx )?/, '').trim())
    .filter((part) => part.startsWith('authcli '));
}

/** The help's name files and users of their readers, so commands.ci.test.ts doesn't run them. */
it('the examples of the help and of the skill can be parsed', async () => {
  const [help, skill] = ['cli', 'skill'].map((page) => readFileSync(`docs/${page}.md`, 'utf8'));
  const blocks = `${help}\n${skill}`.matchAll(/^```sh\n([\s\S]*?)^```$/gm);
  const mentioned = `${skill}`.matchAll(/`(authcli [^`\n]+)`/g);
  const lines = [...blocks, ...mentioned].flatMap(([, text = '']) => text.split('\n'));
  const examples = lines.filter((line) => !/^#|^$/.test(line));
  assert.ok(examples.length > 100, `${examples.length}`);
  for (const line of examples) {
    const found = commandLinesIn(line.replace(/ # .*/, ''));
    assert.ok(found.length > 0, line);
    for (const command of found) await parseCommandLine(command);
  }
  for (const [flag] of `${skill}`.matchAll(/--[a-z][a-z-]+/g))
    assert.ok(help?.includes(`\`${flag}`), flag);
  const statuses = [...`${skill}`.matchAll(/^\| (\d+) \|/gm)].map(([, status]) => Number(status));
  const { interrupted: _, terminated: __, ...own } = exitStatus;
  assert.deepEqual(statuses, Object.values(own));
});
