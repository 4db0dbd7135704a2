import { fileURLToPath } from 'node:url';
import { describeSilentMisreadings, withApplication } from '../misreading.ts';

const program = fileURLToPath(new URL('applications/Misreading.java', import.meta.url));
describeSilentMisreadings(
  'Java',
  (reading, visit) => withApplication(['java', program, reading], visit),
  /Cipher\.getInstance\(\\"AES\/CBC\/PKCS5Padding\\"\)/,
);
