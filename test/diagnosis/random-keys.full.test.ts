import { describe } from 'node:test';
import { randomKeysAreNeverDoubted } from './random-keys.ts';

describe('the strength of a per-user key', () => {
  randomKeysAreNeverDoubted({ keys: 40_000, examined: 200 });
});
