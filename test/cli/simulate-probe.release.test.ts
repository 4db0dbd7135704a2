import { describe } from 'node:test';
import { namesTheCipher } from './simulate-probe.ts';

describe('simulate-signup --probe', () => {
  namesTheCipher('zeroIv', 'gcm', 'key128');
});
