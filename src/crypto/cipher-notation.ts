import type { Cipher } from './cipher.ts';
import { findAlgorithm } from './cipher-algorithms.ts';
import { completeCipher, type Parts, partNames } from './cipher-completion.ts';
import { refused, unknown, unknownAlgorithm } from './cipher-notation-errors.ts';
import { cipherPresets } from './cipher-presets.ts';

export type { Cipher } from './cipher.ts';
export { defaultCipher } from './cipher.ts';
export { cipherPresets } from './cipher-presets.ts';
export { listCiphers } from './cipher-space.ts';

/**
 * Reads the notation `ALGORITHM?key=…&iv=…&padding=…&encoding=…` (`tag` and `ivlen` with GCM), in any
 * order and case, with the defaults for what is left out; or the name of a preset.
 *
 * @throws {AuthcliError} `usage`, naming the part and its value: a name that doesn't exist, a part
 *   given twice, or one that doesn't apply to the algorithm
 */
export function parseCipher(notation: string): Cipher {
  const text = notation.trim().toLowerCase();
  const preset = cipherPresets.find(({ name }) => name === text);
  if (preset !== undefined) return parseCipher(preset.cipher);
  const [name = '', ...rest] = text.split('?');
  const algorithm = findAlgorithm(name);
  if (algorithm === undefined) throw unknownAlgorithm(notation.trim().split('?')[0] ?? '');
  return completeCipher(algorithm, splitParts(rest.join('?')));
}

/** Prints a cipher in the canonical form: every part that applies, in the order of the notation. */
export function formatCipher(cipher: Cipher): string {
  const parts = partNames
    .filter((name) => cipher[name] !== undefined)
    .map((name) => `${name}=${cipher[name]}`);
  return `${cipher.algorithm}?${parts.join('&')}`;
}

function splitParts(text: string): Parts {
  const parts = new Map<(typeof partNames)[number], string>();
  for (const part of text.split('&').filter((piece) => piece !== '')) {
    const [name = '', ...value] = part.split('=');
    const known = partNames.find((candidate) => candidate === name.trim());
    if (known === undefined) throw unknown('part', name, partNames);
    if (parts.has(known)) throw refused(`The cipher's part ${known} is given twice.`);
    parts.set(known, value.join('=').trim());
  }
  return parts;
}
