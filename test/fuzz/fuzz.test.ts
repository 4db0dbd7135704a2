import { describe, it } from 'node:test';
import { casesOf, fuzz } from './fuzz.ts';

/* 2,000 cases; fuzz.full.test.ts tries 20,000. */
describe('whatever is read', () => {
  for (const [target, runs] of casesOf(2000)) {
    it(`${target.name}: an error that is intended, or none`, () => fuzz(target, runs));
  }
});
