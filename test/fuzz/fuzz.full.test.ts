import { describe, it } from 'node:test';
import { casesOf, fuzz } from './fuzz.ts';

/* 20,000 cases; `npm run fuzz` tries 100,000. */
describe('whatever is read', () => {
  for (const [target, runs] of casesOf(20_000)) {
    it(`${target.name}: an error that is intended, or none`, () => fuzz(target, runs));
  }
});
