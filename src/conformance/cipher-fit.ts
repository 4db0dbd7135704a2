import type { Cipher } from '../crypto/cipher.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import { AuthcliError } from '../errors.ts';
import { skip } from './expect.ts';

/** A key that the cipher can't use says something about both together, and nothing about the check. */
export function orSkip<T>(cipher: Cipher, build: () => T): T {
  const explain = (error: unknown): never => {
    if (!(error instanceof AuthcliError) || error.code !== 'usage') throw error;
    return skip(
      `The application's key doesn't go with the cipher ${formatCipher(cipher)}: ${error.message}`,
    );
  };
  try {
    const built = build();
    return built instanceof Promise ? (built.catch(explain) as T) : built;
  } catch (error) {
    return explain(error);
  }
}
