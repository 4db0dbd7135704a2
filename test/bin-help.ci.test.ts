import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { readyTexts } from '../scripts/ready-texts.ts';
import { bin } from './support/program.ts';
import { run } from './support/run.ts';

/*
 * Help and version are printed from texts that the build made, before anything is loaded. They must
 * be what the program itself prints.
 */

describe('help that is ready', () => {
  it('was made from the source as it is, and nothing else was made', async () => {
    const texts = await readyTexts();
    for (const [name, text] of texts) assert.equal(readFileSync(join('dist', name), 'utf8'), text);
    const files = readdirSync('dist/help', { recursive: true, encoding: 'utf8' });
    const made = files.filter((file) => file.endsWith('.txt')).length;
    assert.equal(made, [...texts.keys()].filter((name) => name.startsWith('help/')).length);
  });

  it('is what the program prints, in every way of asking, and what is more than words is left to the program', async () => {
    for (const line of [
      ...[
        '',
        '--help',
        '-h',
        'help',
        'help key wrap',
        'key wrap -h',
        'key --help',
        'verify --help',
      ],
      ...['help environment', 'key wrap --help --json', 'decrypt ../version --help'],
    ]) {
      const argv = line.split(' ').filter(Boolean);
      const { stdout } = await run(argv, { configFile: resolve('no-such-folder/config.json') });
      const ready = spawnSync(process.execPath, [bin, ...argv], { encoding: 'utf8' });
      assert.equal(ready.stdout, stdout, line);
    }
  });
});
