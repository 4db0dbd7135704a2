import { defaultCipher, formatCipher, parseCipher } from '../crypto/cipher-notation.ts';
import { defaulted } from './options.ts';

export const cipherFlag = defaulted(
  '--cipher <notation>',
  'the cipher of the per-user key; see help ciphers',
  formatCipher(defaultCipher),
  { parse: parseCipher, setting: 'cipher', candidates: 'cipher' },
);
