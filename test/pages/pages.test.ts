import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { exitStatus } from '../../src/cli/exit-status.ts';
import { signinChecks } from '../../src/conformance/signin-catalogue.ts';
import { blocksOf, brokenLinks, linksOf, pages, parseCommandLine } from './pages.ts';

describe('the pages', () => {
  it('link to files and headings that there are', () => {
    for (const page of pages) assert.deepEqual(brokenLinks(page), [], page);
  });

  it('of docs/ are all in its index', () => {
    const index = readFileSync('docs/README.md', 'utf8');
    for (const [, name] of pages.flatMap((page) => [...page.matchAll(/^docs\/([^/]+\.md)$/g)]))
      assert.ok(name === 'README.md' || index.includes(`](${name})`), name);
  });

  it('list every check of the sign-in with its decision, and no other', () => {
    const page = readFileSync('docs/integrate.md', 'utf8');
    const listed = [...page.matchAll(/`(signin\/[a-z-]+)`/g)].map(([, id]) => id ?? '');
    const ids = signinChecks.map(({ id }) => id);
    assert.deepEqual([...new Set(listed)].sort(), ids.toSorted());
  });

  it('that the README links to are in the package', () => {
    const { files } = JSON.parse(readFileSync('package.json', 'utf8'));
    for (const target of linksOf('README.md'))
      assert.ok(files.includes(target.split(/[/#]/, 1)[0]), target);
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

it('the skill names commands, flags and exit statuses that there are', async () => {
  const text = readFileSync('docs/skill.md', 'utf8');
  const shown = blocksOf('docs/skill.md').flatMap((block) => block.text.split('\n'));
  const mentioned = [...text.matchAll(/`(authcli [^`\n]+)`/g)].map(([, line = '']) => line);
  const found = [...shown, ...mentioned].flatMap((line) =>
    commandLinesIn(line.replace(/^\$ | # .*$/g, '')),
  );
  assert.ok(found.length > 14, `${found.length}`);
  for (const command of found) await parseCommandLine(command);
  const all = readFileSync('docs/cli.md', 'utf8');
  for (const [name] of text.matchAll(/--[a-z][a-z-]+/g)) assert.ok(all.includes(`\`${name}`), name);
  const statuses = [...text.matchAll(/^\| (\d+) \|/gm)].map(([, status]) => Number(status));
  assert.deepEqual(
    statuses,
    Object.values(exitStatus).filter((status) => status < 128),
  );
});

/** docs/cli.md shows them: they name files and users of their readers, so commands.ci.test.ts doesn't run them. */
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
