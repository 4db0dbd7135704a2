import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { cliPage } from '../scripts/cli-page.ts';
import { diagnosesPage } from '../scripts/diagnoses-page.ts';
import { catalogue } from '../src/diagnosis/catalogue.ts';
import { errorSituations } from '../src/diagnosis/error-situations.ts';
import { errorTexts } from '../src/diagnosis/error-texts.ts';

describe('docs/cli.md', () => {
  it('is what the definitions of the commands say; npm run docs writes it', async () => {
    const written = readFileSync('docs/cli.md', 'utf8').split('\n');
    const lines = (await cliPage()).split('\n');
    const differing = lines.filter((line, index) => line !== written[index]);
    assert.deepEqual(differing.slice(0, 3), [], 'run npm run docs');
  });
});

describe('docs/diagnoses.md', () => {
  const page = diagnosesPage();

  it('is what the catalogue says; npm run docs writes it', () => {
    assert.equal(readFileSync('docs/diagnoses.md', 'utf8'), page);
  });

  it('has a heading for every code, every error text and its situation', () => {
    for (const code of Object.keys(catalogue))
      assert.equal(page.split(`\n### ${code}\n`).length, 2, code);
    for (const { text } of errorTexts)
      assert.ok(page.includes(`\`${text.replaceAll('|', '\\|')}\``), text);
    for (const [, title] of Object.values(errorSituations))
      assert.ok(page.replaceAll('\\', '').includes(`\n### ${title}\n`), title);
  });

  it('has tables of two cells a row, and nothing that would be taken for HTML', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('|'));
    assert.ok(rows.length > 100);
    for (const row of rows) assert.equal(row.match(/(?<!\\)\|/g)?.length, 3, row);
    assert.doesNotMatch(page.replaceAll(/(`+).*?\1/g, ''), /(?<!\\)</);
  });
});
