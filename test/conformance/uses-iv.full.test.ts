import { testsOfUsesIv } from './uses-iv.ts';

testsOfUsesIv(200);
