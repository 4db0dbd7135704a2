import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { payloadCatalogue } from '../../src/diagnosis/catalogue/payload.ts';
import { wrappedKeyCatalogue } from '../../src/diagnosis/catalogue/wrapped-key.ts';
import { catalogue, diagnose } from '../../src/diagnosis/catalogue.ts';
import { type CatalogueEntry, callLines } from '../../src/diagnosis/diagnosis.ts';
import { applicationFaults } from '../../src/emulator/faults.ts';
import { stacks } from '../../src/errors.ts';
import { wrongPrograms } from '../support/signin-mistakes.ts';

const entries = Object.entries<CatalogueEntry>(catalogue);

it('names stacks with the same call together, in their order', () => {
  const calls = { kotlin: 'f()', go: 'F()', java: 'f()' };
  assert.deepEqual(callLines(calls), ['Java and Kotlin: f()', 'Go: F()']);
  assert.deepEqual(callLines({}), []);
});

it('gives the calls of a key or a payload for every stack, where Ruby has one', () => {
  for (const { calls } of Object.values({ ...wrappedKeyCatalogue, ...payloadCatalogue })) {
    if (calls?.ruby) assert.deepEqual(Object.keys(calls).sort(), [...stacks].sort());
  }
});

it('adds to what was observed the fix and the calls of the catalogue', () => {
  const { fix, calls } = catalogue['stale-key'];
  const found = { code: 'stale-key', message: 'It was refused.', hint: fix, calls };
  assert.deepEqual(diagnose('stale-key', 'It was refused.'), found);
  assert.ok(calls?.python);
  const { calls: none, evidence } = diagnose('dns', 'No address.', { host: 'h' });
  assert.deepEqual([none, evidence], [{}, { host: 'h' }]);
});

it('has a fault, a wrong sign-in, or a test of this folder for every code', () => {
  const ofFaults = [...applicationFaults, ...wrongPrograms].map(({ diagnosis }) => diagnosis);
  const tests = readdirSync('test/diagnosis').filter((file) => /\.test\.ts$/.test(file));
  const texts = [...tests.map((file) => `test/diagnosis/${file}`), 'test/cli/signin.test.ts'];
  const text = texts.map((file) => readFileSync(file, 'utf8')).join('\n');
  const known = new Set<string | undefined>(Object.keys(catalogue));
  for (const code of ofFaults) assert.ok(code === undefined || known.has(code), code);
  for (const [code] of entries) {
    const isQuoted = new RegExp(`'${code}'|^ +${code}: \\[`, 'm').test(text);
    assert.ok(ofFaults.some((of) => of === code) || isQuoted, code);
  }
});
