import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { catalogue } from '../../src/diagnosis/catalogue.ts';
import { diagnosesPage } from '../../src/reports/diagnoses-page.ts';

describe('diagnosesPage', () => {
  const page = diagnosesPage();

  it('is what docs/diagnoses.md holds; npm run docs writes it', () => {
    assert.equal(readFileSync('docs/diagnoses.md', 'utf8'), page);
  });

  it('has a heading for every code, and a link to it', () => {
    for (const code of Object.keys(catalogue)) {
      assert.equal(page.split(`\n### ${code}\n`).length, 2, code);
      assert.ok(page.includes(`[${code}](#${code})`), code);
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
