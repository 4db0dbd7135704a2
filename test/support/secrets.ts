import { Secret } from '../../src/crypto/secret.ts';

/** A value with every secret in it, at any depth, as its text: comparisons don't look inside one. What is undefined is left out. */
export function revealed(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal();
  if (Array.isArray(value)) return value.map(revealed);
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  const known = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(known.map(([name, item]) => [name, revealed(item)]));
}
