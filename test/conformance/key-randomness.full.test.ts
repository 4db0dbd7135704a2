import { testsOfPatterns } from './key-randomness.ts';

testsOfPatterns({ predictable: 40, random: 120, digestLike: 30 });
