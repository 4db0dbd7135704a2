import { draws } from '../support/draws.ts';
import { testsOfUsesIv } from './uses-iv.ts';

testsOfUsesIv(draws(25));
