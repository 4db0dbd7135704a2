import { defaultCipher, formatCipher } from '../crypto/cipher-notation.ts';
import { defaultClientId } from '../protocol/stand-ins.ts';
import type { VerifyOptions } from './verify-flags.ts';

/** The command line that runs one check again as in this run; flags that hold secrets are left out. */
export function repeatCommand(
  id: string | undefined,
  options: VerifyOptions,
  seed: string,
): string {
  const { url, clientId, cipher, insecure, strict } = options;
  const notation = formatCipher(cipher);
  const words = [
    'authcli verify',
    ...(id === undefined ? [] : [`--check ${id}`]),
    ...(url === undefined ? [] : [`--url ${quote(url.href)}`]),
    `--seed ${quote(seed)}`,
    ...(clientId === defaultClientId ? [] : [`--client-id ${quote(clientId)}`]),
    ...(notation === formatCipher(defaultCipher) ? [] : [`--cipher ${quote(notation)}`]),
    ...(insecure ? ['--insecure'] : []),
    ...(strict ? ['--strict'] : []),
  ];
  return words.join(' ');
}

/** One word of a POSIX shell. */
export function quote(word: string): string {
  return /^[A-Za-z0-9_./:@,+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
