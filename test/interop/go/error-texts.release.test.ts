import { fileURLToPath } from 'node:url';
import { describeErrorTexts } from '../error-texts.ts';

const program = fileURLToPath(new URL('error_texts.go', import.meta.url));
describeErrorTexts('go', 'go', ['run', program], 25);
