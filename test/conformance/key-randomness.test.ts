import { testsOfPatterns } from './key-randomness.ts';

testsOfPatterns({ predictable: 4, random: 12, digestLike: 4 });
