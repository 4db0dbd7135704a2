import { describe } from 'node:test';
import { isExplainedByTheCipher } from './registration-cause.ts';

describe('a registration that fails in verify', () => {
  isExplainedByTheCipher('zeroIv', 'gcm', 'key128');
});
