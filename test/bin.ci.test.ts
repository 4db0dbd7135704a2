import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { losesNoUserToConcurrentSignUps, refusesAsItsSource } from './bin.ts';
import { helpPaths } from './bin-help.ts';
import { bin, start } from './support/program.ts';

describe('the installed program', () => {
  refusesAsItsSource(
    [process.execPath, bin],
    ['key', 'generate', '--jsn'],
    ['key', 'generate', '-x'],
    ['key', 'generate', 'stray'],
    ['key', 'generate', '--config'],
    ['key', 'generate', '--json=yes'],
    ['key', 'wrap'],
    ['key', 'generat'],
    ['--bogus'],
  );

  losesNoUserToConcurrentSignUps([process.execPath, bin], 12);

  for (const path of helpPaths) {
    const words = path.split(' ');
    it(`prints the help that is ready: ${path}`, async () => {
      const { status, stdout } = await start(process.execPath, [bin, ...words, '--help']).ended;
      assert.equal(status, 0);
      assert.equal(stdout, readFileSync(`dist/help/${words.join('/')}.txt`, 'utf8'));
    });
  }
});
