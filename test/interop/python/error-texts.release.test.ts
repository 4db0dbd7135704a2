import { fileURLToPath } from 'node:url';
import { describeErrorTexts } from '../error-texts.ts';

const program = fileURLToPath(new URL('error_texts.py', import.meta.url));
describeErrorTexts('python', 'python3', [program], 48);
