import { fileURLToPath } from 'node:url';
import { describeErrorTexts } from '../error-texts.ts';

const program = fileURLToPath(new URL('error-texts.mjs', import.meta.url));
describeErrorTexts('node', process.execPath, [program], 40);
