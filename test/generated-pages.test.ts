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
    const differing = (await cliPage())
      .split('\n')
      .filter((line, index) => line !== written[index]);
    assert.deepEqual(differing.slice(0, 3), [], 'run npm run docs');
  });
});

describe('diagnosesPage', () => {
  const page = diagnosesPage();

  it('is what docs/diagnoses.md contains; npm run docs writes it', () => {
    assert.equal(readFileSync('docs/diagnoses.md', 'utf8'), page);
  });

  it('has a heading for every code, and a link to it', () => {
    for (const code of Object.keys(catalogue)) {
      assert.equal(page.split(`\n### ${code}\n`).length, 2, code);
      assert.ok(page.includes(`[${code}](#${code})`), code);
    }
  });

  it('lists every error text that is recognised, and its situation', () => {
    for (const { text } of errorTexts) {
      assert.ok(page.includes(`\`${text.replaceAll('|', '\\|')}\``), text);
    }
    for (const { title } of Object.values(errorSituations)) {
      assert.ok(page.replaceAll('\\', '').includes(`\n### ${title}\n`), title);
    }
  });

  it('has tables whose rows all have two cells', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('|'));
    assert.ok(rows.length > 100);
    for (const row of rows) assert.equal(row.match(/(?<!\\)\|/g)?.length, 3, row);
  });

  it('leaves nothing of the prose to be taken for HTML', () => {
    const prose = page.replaceAll(/(`+).*?\1/g, '');
    assert.doesNotMatch(prose, /(?<!\\)</);
  });
});
