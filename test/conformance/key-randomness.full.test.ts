import { draws } from '../support/draws.ts';
import { testsOfPatterns } from './key-randomness.ts';

testsOfPatterns({ predictable: draws(5), random: draws(15), digestLike: draws(4) });
