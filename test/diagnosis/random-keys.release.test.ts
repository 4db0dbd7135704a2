import { describe } from 'node:test';
import { draws } from '../support/draws.ts';
import { randomKeysAreNeverDoubted } from './random-keys.ts';

describe('the strength of a per-user key', () => {
  randomKeysAreNeverDoubted({ keys: draws(40_000), examined: draws(50) });
});
