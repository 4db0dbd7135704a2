import { fileURLToPath } from 'node:url';
import { describeErrorTexts } from '../error-texts.ts';

const program = fileURLToPath(new URL('error_texts.php', import.meta.url));
describeErrorTexts('php', 'php', [program], 25);
