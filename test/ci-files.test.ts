import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { matchesGlob } from '../src/text.ts';
import { pages, parseCommandLine } from './pages/pages.ts';
import { copies, instruction, stages } from './support/dockerfile.ts';

/*
 * What other people's pipelines take from here beside the action: the job for GitLab, the page
 * about pipelines, and the Dockerfile, whose steps test/executable.release.test.ts runs without Docker.
 */

describe('the job for GitLab', () => {
  const { script, artifacts } = parse(readFileSync('ci/gitlab.yml', 'utf8'))['authcli-verify'];
  const [guard, , verify]: string[] = script;

  it('keeps its reports in any case', () => {
    const written = [...(verify ?? '').matchAll(/--report (\w+)=(\S+)/g)].map((found) => found[2]);
    assert.deepEqual(artifacts, {
      when: 'always',
      expose_as: 'authcli',
      paths: ['authcli.html', 'authcli.json'],
      reports: { junit: 'authcli.xml' },
    });
    assert.deepEqual(written.sort(), ['authcli.html', 'authcli.json', 'authcli.xml']);
  });

  it('takes the URL of a package alone', () => {
    for (const [given, status] of [
      ['https://git.example.com/tools/authcli-0.1.0.tgz', 0],
      ['git+https://git.example.com/tools/authcli.git#v0.1.0', 0],
      ['authcli', 2],
      ['authcli@0.1.0', 2],
      ['', 2],
    ] as const) {
      const env = { PATH: process.env.PATH, AUTHCLI_PACKAGE: given };
      const run = spawnSync('sh', ['-c', guard ?? 'exit 99'], { env, encoding: 'utf8' });
      assert.equal(run.status, status, given);
      assert.equal(run.stdout.startsWith('Set AUTHCLI_PACKAGE'), status !== 0);
    }
  });
});

it('the pages about pipelines name this version wherever they name one', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const texts = ['README.md', 'docs/ci.md', 'ci/gitlab.yml'].map((page) =>
    readFileSync(page, 'utf8'),
  );
  const name = /authcli(?:@|-|\.git#|\/-\/raw\/)v?(\d+\.\d+\.\d+)/g;
  const named = [...texts.join('\n').matchAll(name)];
  assert.ok(named.length >= 9, `${named.length}`);
  assert.deepEqual([...new Set(named.map(([, found]) => found))], [version]);
});

const inFolders = (...folders: string[]) =>
  folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));

describe('what is fetched', () => {
  const files = [...pages, 'action.yml', 'Dockerfile', ...inFolders('ci', '.ci')];

  it('is never authcli by its name, which others may own on the registry', () => {
    for (const file of files) {
      // Once a release is published, its last step installs it as users will.
      const text = readFileSync(file, 'utf8').replace('`npm install authcli@VERSION`', '');
      assert.deepEqual(fetchesByName(text), [], file);
    }
  });
});

/** The commands in `text` with which a package manager would look the name up. */
function fetchesByName(text: string): readonly string[] {
  const word = String.raw`["'\`]?authcli(?:@[^\s/]*)?["'\`.,;)]*(?=\s|$)`;
  const installs = String.raw`\b(?:p?npm|yarn|bun) (?:i|install|add|exec|dlx|x)\b[^\n;&|]*?\s${word}`;
  const runs = String.raw`\bnpx (?:authcli@|-[^\n;&|]*?\s${word})`;
  return [...text.matchAll(new RegExp(`${installs}|${runs}`, 'gm'))].map(([found]) => found);
}

it('the command lines of the CI pages can be parsed', async () => {
  const lines = ['docs/ci.md', 'ci/gitlab.yml'].flatMap((page) =>
    readFileSync(page, 'utf8')
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => !/^\s*#/.test(line))
      .flatMap((line) => commandLineIn(line) ?? []),
  );
  assert.ok(lines.length >= 11, `${lines.length}`);
  for (const line of lines) await parseCommandLine(line);
});

/** An authcli command line in a line of a page; shell variables replace words without spaces. */
function commandLineIn(line: string): string | undefined {
  const found =
    /(?:npx (?:--yes )?|\.bin\/|--rm .* )authcli(?:@\S+)?\s+((?:verify|report|demo|emulate)[^`]*)/.exec(
      line,
    )?.[1];
  if (found === undefined) return undefined;
  const inner = /^\s*sh '/.test(line) ? found.replace(/'$/, '') : found;
  return `authcli ${inner
    .replace(/\$AUTHCLI_VERIFY_ARGS/, '--wait 60s')
    .replace(/"\$(\w+)"/g, 'http://$1/')
    .trim()}`;
}

describe('the Dockerfile', () => {
  const [build = [], last = []] = stages;
  const instructions = stages.flat();

  it('builds on a base that is pinned by its digest, and runs on nothing else than it copies', () => {
    assert.equal(stages.length, 2);
    const base = /^node:22-bookworm-slim@sha256:[0-9a-f]{64} AS build$/;
    assert.match(instruction(build, 'FROM'), base);
    assert.equal(instruction(last, 'FROM'), 'scratch');
    assert.deepEqual(copies(last), [{ from: 'build', sources: ['/image/'], target: '/' }]);
  });

  it('runs nothing as root, the program as a program, and no script of a package', () => {
    assert.match(instruction(last, 'USER'), /^[1-9]\d+:[1-9]\d+$/);
    assert.equal(instruction(last, 'ENTRYPOINT'), '["authcli"]');
    for (const line of instructions) {
      assert.doesNotMatch(line, /^ADD |--privileged|curl|wget|apt-get/);
      if (/npm (ci|install)/.test(line)) assert.match(line, /--ignore-scripts/);
    }
  });

  it('lets into its context what it copies, and nothing else', () => {
    const [first, ...others] = readFileSync('.dockerignore', 'utf8').trim().split('\n');
    assert.equal(first, '*');
    const sources = copies(instructions).flatMap((copy) => (copy.from ? [] : copy.sources));
    for (const source of sources) {
      assert.ok(existsSync(source), source);
      const isTaken = others.some((line) => matchesGlob(`!${source}`, line));
      assert.ok(isTaken, `${source} is ignored`);
    }
    for (const secret of ['!.git', '!node_modules', '!test', '!.env'])
      assert.equal(others.includes(secret), false);
  });
});
