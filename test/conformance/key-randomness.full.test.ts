import { draws } from '../support/draws.ts';
import { testsOfPatterns } from './key-randomness.ts';

testsOfPatterns({ predictable: draws(10), random: draws(30), digestLike: draws(8) });
