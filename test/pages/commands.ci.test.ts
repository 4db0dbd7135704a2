import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { picture, picturedLines } from '../../scripts/picture.ts';
import { sampled, sampleSeed } from '../support/draws.ts';
import { ReaderEnvironment } from './environment.ts';
import { blocksOf, pages, suiteSection } from './pages.ts';

/* Every command of a page is run as its reader would. */

type Block = ReturnType<typeof blocksOf>[number];

const always = ['README.md', 'docs/skill.md'];

/** docs/cli.md shows the examples of the help, which name their readers' own files: pages.test.ts. */
const elsewhere = [...always, 'docs/cli.md'];

const others = pages.filter((page) => !elsewhere.includes(page) && blocksToRun(page).length > 0);

// Each page has ports of its own; most of the time goes into waiting for what the pages let time out.
describe(`the commands of pages, drawn by ${sampleSeed}`, { concurrency: 4 }, () => {
  for (const page of [...always, ...sampled(others, 3)]) {
    it(page, async () => {
      const environment = await ReaderEnvironment.open();
      try {
        await startWhatIsThere(page, environment);
        for (const block of blocksToRun(page)) await runBlock(page, block, environment);
      } finally {
        environment.close();
      }
    });
  }
});

it('docs/verify.svg shows what verify prints; npm run picture draws it', () => {
  assert.equal(readFileSync('docs/verify.svg', 'utf8'), picture(picturedLines()));
});

function blocksToRun(page: string) {
  return blocksOf(page).filter(
    ({ notRun, section }) => notRun === undefined && section !== suiteSection,
  );
}

/** An endpoint at the port of the pages, where a page takes it for granted that the reader has one. */
async function startWhatIsThere(page: string, environment: ReaderEnvironment): Promise<void> {
  const text = blocksToRun(page)
    .map((block) => block.text)
    .join('\n');
  const startsOne = /# keeps running|start-my-application/.test(text);
  for (const [place, emulator] of [
    [/localhost:8080/, 'app --port 8080'],
    [/localhost:8081/, 'service --port 8081 --secret-key env:MY_SECRET_KEY'],
    [/CALLBACK_URL/, 'app --port 8089'],
  ] as const) {
    if (!place.test(text) || (startsOne && !/8089/.test(emulator))) continue;
    const { status, printed } = await environment.run(`keeps_running authcli emulate ${emulator}`);
    assert.equal(status, 0, `${page}: ${printed}`);
  }
}

async function runBlock(page: string, block: Block, environment: ReaderEnvironment): Promise<void> {
  const cwd = page.startsWith('examples/') ? dirname(page) : '.';
  // Each command of a console block has the lines below it that it prints; of others nothing is shown.
  const parts = block.kind === 'sh' ? [block.text] : block.text.split(/^\$ /m).slice(1);
  for (const part of parts) {
    const lines = part.trimEnd().replaceAll('\\\n', ' ').split('\n');
    const [command = '', ...shown] = block.kind === 'sh' ? [part] : lines;
    const { status, printed } = await environment.run(scriptOf(command), cwd);
    const place = `${page}:${block.line}\n${command}`;
    assert.equal(status, 0, `${place}\n${printed}`);
    const expected = environment.here(shown.join('\n')).trim();
    if (expected !== '') assert.match(printed.trim(), patternOf(expected), place);
  }
}

/** The lines of a block, continued ones joined, with what they say of their end; an emulator without a command keeps running. */
function scriptOf(text: string): string {
  const lines = text.replaceAll(/\\\n/g, ' ').replaceAll(/\|\n/g, '| ').split('\n');
  return lines
    .map((line) => {
      if (/\bauthcli load\b/.test(line)) return shortLoad(line);
      // Started for one check, not a hundred times: that is interop/node/sign-in.ci.test.ts.
      if (/\bverify --signin\b.* -- node /.test(line))
        return line.replace(' -- ', " --check 'signin/rejects-wrong-passcode' -- ");
      const [, running = line] = /^(.*\S)\s+# keeps running/.exec(line) ?? [];
      const isEmulator = /^(?:npx )?authcli emulate (?:app|service)(?!.* -- )/.test(line);
      if (running !== line || isEmulator) return `keeps_running ${running}`;
      const [, ended, status] = /^(.*\S)\s+# exits (\d+)/.exec(line) ?? [];
      return ended === undefined ? line : `exits ${status} '${ended.replaceAll("'", `'\\''`)}'`;
    })
    .join('\n');
}

/** A load is short here and its threshold wide: what is shown is that it runs, not how fast. */
function shortLoad(line: string): string {
  const isBounded = /--(?:duration|signups)\b/.test(line);
  return line
    .replace(/--duration \w+/, '--duration 1s')
    .replace(/--signups \d+/, '--signups 30')
    .replace(/--max-p99 \w+/, '--max-p99 60s')
    .replace(/$/, isBounded ? '' : ' --duration 1s');
}

/** What is shown, as a pattern: `…` matches anything, and alone on a line for any lines. */
function patternOf(shown: string): RegExp {
  const lines = shown.split('\n').map((line) => {
    // Whole lines: what could match in several ways would take for ever where the rest doesn't match.
    if (line.trim() === '…') return '(?:.*\\n|.+$)*?';
    const escaped = line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*');
    return `${escaped}(?:\\n|$)`;
  });
  return new RegExp(`^${lines.join('')}$`);
}
