import { createHash } from 'node:crypto';

/** SHA-256 in hex of a text as JSON writes it, which keeps lone surrogates apart as well. */
export function hashOfText(text: string): string {
  return createHash('sha256').update(JSON.stringify(text)).digest('hex');
}

/**
 * A name for a file or folder that stands for any text on any file system: what can be read of
 * the text, in small letters, then what tells it from every other text.
 */
export function safeName(text: string): string {
  const readable = text
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 32)
    .toLowerCase();
  return `${readable}-${hashOfText(text).slice(0, 16)}`;
}
