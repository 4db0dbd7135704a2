import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { picture, picturedLines } from '../../scripts/picture.ts';
import { sampled, sampleSeed } from '../support/draws.ts';
import { ReaderEnvironment } from './environment.ts';
import { type Block, blocksOf, pages, suiteSection } from './pages.ts';

/* Every command of a page is run as its reader would. */

/** docs/cli.md shows the examples of the help, which name their readers' own files: help-examples.test.ts. */
const elsewhere = 'docs/cli.md';

const withCommands = pages.filter((page) => page !== elsewhere && blocksToRun(page).length > 0);
const [first, others] = [
  withCommands.filter((page) => page === 'README.md'),
  withCommands.filter((page) => page !== 'README.md'),
];

// Each page has ports of its own; most of the time goes into waiting for what the pages let time out.
describe(`the commands of pages, drawn by ${sampleSeed}`, { concurrency: 4 }, () => {
  for (const page of [...first, ...sampled(others, 3)]) {
    const blocks = blocksToRun(page);
    it(page, async () => {
      const environment = await ReaderEnvironment.open();
      try {
        await standIn(page, blocks, environment);
        for (const block of blocks) await runBlock(page, block, environment);
      } finally {
        environment.close();
      }
    });
  }
});

describe('docs/verify.svg', () => {
  it('shows what verify prints; npm run picture draws it', () => {
    assert.equal(readFileSync('docs/verify.svg', 'utf8'), picture(picturedLines()));
  });
});

function blocksToRun(page: string): readonly Block[] {
  return blocksOf(page).filter(
    ({ notRun, section }) => notRun === undefined && section !== suiteSection,
  );
}

/** An endpoint at the port of the pages, where a page takes it for granted that the reader has one. */
async function standIn(
  page: string,
  blocks: readonly Block[],
  environment: ReaderEnvironment,
): Promise<void> {
  const text = blocks.map((block) => block.text).join('\n');
  const startsOne = /# keeps running|start-my-application/.test(text);
  const emulated = [
    ...(/localhost:8080/.test(text) && !startsOne ? ['app --port 8080'] : []),
    ...(/localhost:8081/.test(text) && !startsOne
      ? ['service --port 8081 --secret-key env:MY_SECRET_KEY']
      : []),
    ...(/CALLBACK_URL/.test(text) ? ['app --port 8089'] : []),
  ];
  for (const emulator of emulated) {
    const { status, printed } = await environment.run(`keeps_running authcli emulate ${emulator}`);
    assert.equal(status, 0, `${page}: ${printed}`);
  }
}

async function runBlock(page: string, block: Block, environment: ReaderEnvironment): Promise<void> {
  const cwd = page.startsWith('examples/') ? page.slice(0, page.lastIndexOf('/')) : '.';
  const place = `${page}:${block.line}`;
  if (block.kind === 'sh') {
    const { status, printed } = await environment.run(scriptOf(block.text), cwd);
    assert.equal(status, 0, `${place}\n${block.text}\n${printed}`);
    return;
  }
  for (const [command = '', ...shown] of consoleParts(block.text)) {
    const { status, printed } = await environment.run(scriptOf(command), cwd);
    assert.equal(status, 0, `${place}\n${command}\n${printed}`);
    const expected = environment.here(shown.join('\n')).trim();
    if (expected === '') continue;
    assert.match(printed.trim(), patternOf(expected), `${place}\n${command}`);
  }
}

/** Each command of a console block with the lines that are shown below it. */
function consoleParts(text: string): string[][] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const lines = part.trimEnd().replaceAll('\\\n', ' ').split('\n');
      return lines;
    });
}

/** The lines of a block, continued ones joined, with what they say of their end. */
function scriptOf(text: string): string {
  return text
    .replaceAll(/\\\n/g, ' ')
    .replaceAll(/\|\n/g, '| ')
    .split('\n')
    .map((line) => {
      if (/\bauthcli load\b/.test(line)) return shortLoad(line);
      if (/\bverify --signin\b.* -- node /.test(line)) return shortSignin(line);
      const [, said, emulator] = longRunning.exec(line) ?? [];
      const running = said ?? emulator;
      if (running !== undefined) return `keeps_running ${running}`;
      const [, ended, status] = /^(.*\S)\s+# exits (\d+)/.exec(line) ?? [];
      return ended === undefined ? line : `exits ${status} ${quoted(ended)}`;
    })
    .join('\n');
}

/** What says so, and an emulator without a command to run. */
const longRunning =
  /^(.*\S)\s+# keeps running|^((?:npx )?authcli emulate (?:app|service)(?!.* -- ).*)$/;

/** A load is short here and its threshold wide: what is shown is that it runs, not how fast. */
function shortLoad(line: string): string {
  const isBounded = /--(?:duration|signups|scenario)\b/.test(line);
  return line
    .replace(/--duration \w+/, '--duration 1s')
    .replace(/--signups \d+/, '--signups 30')
    .replace(/--scenario signin/, '--scenario signin --duration 1s')
    .replace(/--max-p99 \w+/, '--max-p99 60s')
    .replace(/$/, isBounded ? '' : ' --duration 1s');
}

/** A reader's command that signs in is started for one check, not a hundred times: verify-sign-in.ci.test.ts does that. */
function shortSignin(line: string): string {
  return line.replace(' -- ', " --check 'signin/rejects-wrong-passcode' -- ");
}

function quoted(command: string): string {
  return `'${command.replaceAll("'", `'\\''`)}'`;
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
