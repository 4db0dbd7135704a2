import { fileURLToPath } from 'node:url';
import { describeMisreadings } from '../misreading.ts';

const program = fileURLToPath(new URL('applications/Misreading.java', import.meta.url));
const call = /fix: .* Java: Cipher c = Cipher\.getInstance\("AES\/CBC\/PKCS5Padding"\)/;
describeMisreadings('Java', ['java', program], call);
