import { fileURLToPath } from 'node:url';
import { describeErrorTexts } from '../error-texts.ts';

const program = fileURLToPath(new URL('ErrorTexts.java', import.meta.url));
describeErrorTexts('java', 'java', [program], 35);
