import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { cliPage } from '../scripts/cli-page.ts';
import { diagnosesPage } from '../src/reports/diagnoses-page.ts';

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
});
