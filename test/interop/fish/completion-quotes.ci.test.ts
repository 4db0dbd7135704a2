import { it } from 'node:test';
import { completesToOneWord } from '../../support/completed-values.ts';

it('completes any value to one word in fish, whatever quote is open', () =>
  completesToOneWord('fish', 8));
