import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { notInstalled } from '../../scripts/test/programs.ts';

const cwd = 'fixtures/logs/stacks';
const script = readFileSync(`${cwd}/record.sh`, 'utf8');

/** Without times, lines, ids and where the project is. */
const steady = (log: string) =>
  log
    .replace(/"hostname":"[^"]*"/g, '')
    .replace(/\/[^\s"]*(?=\/)/g, '')
    .replace(/\d+/g, '#');

describe('a recorded log is what the program prints:', () => {
  for (const [name, program] of [
    ['express', 'node'],
    ['pino', 'node'],
    ['print_r', 'php'],
    ['rails', 'ruby'],
  ] as const) {
    it(name, { skip: notInstalled(program) }, () => {
      const [, command] = new RegExp(`^record ${name} (.*)`, 'm').exec(script) ?? [];
      const parts = ['right', 'wrong', 'requests'].map((section) => {
        const run = ['-c', `${command} ${section} 2>&1`];
        return `=== ${section}\n${execFileSync('sh', run, { cwd, encoding: 'utf8' })}`;
      });
      const recorded = readFileSync(`${cwd}/${name}.log`, 'utf8');
      assert.equal(steady(parts.join('')), steady(recorded));
    });
  }
});
