import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { catalogue } from '../../src/diagnosis/catalogue.ts';
import { applicationFaults } from '../../src/emulator/faults.ts';
import { wrongPrograms } from '../support/signin-mistakes.ts';

it('has a fault, a wrong sign-in, or a test of this folder for every code', () => {
  const ofFaults = [...applicationFaults, ...wrongPrograms].map(({ diagnosis }) => diagnosis);
  const tests = readdirSync('test/diagnosis').filter((file) => /\.test\.ts$/.test(file));
  const texts = [...tests.map((file) => `test/diagnosis/${file}`), 'test/cli/signin.test.ts'];
  const text = texts.map((file) => readFileSync(file, 'utf8')).join('\n');
  for (const code of Object.keys(catalogue)) {
    const isQuoted = new RegExp(`'${code}'|^ +${code}: \\[`, 'm').test(text);
    assert.ok(ofFaults.some((of) => of === code) || isQuoted, code);
  }
});
