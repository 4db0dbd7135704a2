import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { perUserKeyCatalogue } from '../../../src/diagnosis/catalogue/per-user-key.ts';
import { wrappedKeyCatalogue } from '../../../src/diagnosis/catalogue/wrapped-key.ts';
import type { CatalogueEntry } from '../../../src/diagnosis/diagnosis.ts';
import { perUserKeyCodes, stacks, wrappedKeyCodes } from '../../../src/errors.ts';

const parts = [
  ['wrapped key', wrappedKeyCatalogue, wrappedKeyCodes],
  ['per-user key', perUserKeyCatalogue, perUserKeyCodes],
] as const;

describe('the catalogue', () => {
  for (const [name, part, codes] of parts) {
    it(`has an entry for each code of a ${name} and no other`, () => {
      assert.deepEqual(Object.keys(part).sort(), [...codes].sort());
    });

    for (const [code, entry] of Object.entries<CatalogueEntry>(part)) {
      it(`says of ${code} what it is, how it is seen and how it is fixed`, () => {
        assert.doesNotMatch(entry.title, /\.$/);
        assert.match(entry.section ?? '', /^\d(?:\.\d){1,2}$/);
        for (const text of [entry.meaning, entry.recognised, entry.fix]) {
          assert.match(text, /^["A-Z0-9p].{30,}\.$/s);
        }
        assert.ok(entry.example.length > 20);
      });
    }

    it(`gives the calls of a ${name} for every stack, where Ruby has one`, () => {
      for (const { calls } of Object.values<CatalogueEntry>(part)) {
        if (calls?.ruby === undefined) continue;
        assert.ok(stacks.every((stack) => calls[stack]));
      }
    });
  }
});
