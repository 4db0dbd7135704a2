import { it } from 'node:test';
import { completesToOneWord } from '../../support/completed-values.ts';

it('completes any value to one word in zsh, whatever quote is open', () =>
  completesToOneWord('zsh', 8));
