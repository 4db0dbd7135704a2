import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { cliPage } from '../scripts/cli-page.ts';

describe('docs/cli.md', () => {
  it('is what the definitions of the commands say; npm run docs writes it', async () => {
    const written = readFileSync('docs/cli.md', 'utf8').split('\n');
    const differing = (await cliPage())
      .split('\n')
      .filter((line, index) => line !== written[index]);
    assert.deepEqual(differing.slice(0, 3), [], 'run npm run docs');
  });

  it('links each command to its section', async () => {
    const page = await cliPage();
    const targets = [...page.matchAll(/\]\(#([a-z-]+)\)/g)].map(([, target]) => target);
    const anchors = [...page.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    );
    assert.ok(targets.length > 30);
    assert.deepEqual(
      targets.filter((target) => !anchors.includes(target ?? '')),
      [],
    );
  });
});
