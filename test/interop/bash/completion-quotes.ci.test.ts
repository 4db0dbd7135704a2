import { it } from 'node:test';
import { completesToOneWord } from '../../support/completed-values.ts';

it('completes any value to one word in bash, whatever quote is open', () =>
  completesToOneWord('bash', 8));
