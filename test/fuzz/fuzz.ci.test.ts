import { describe, it } from 'node:test';
import { draws, sampleSeed } from '../support/draws.ts';
import { casesOf, fuzz } from './fuzz.ts';

describe(`whatever is read, edited at random by ${sampleSeed}`, () => {
  for (const [target, runs] of casesOf(draws(5000))) {
    it(`${target.name}: an error that is intended, or none`, () => fuzz(target, runs));
  }
});
