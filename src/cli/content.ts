import { decodeUtf8, encodeUtf8 } from '../bytes.ts';

/** What a flag or argument holds in the end. */
export interface Content {
  readonly bytes: Uint8Array;
  /** The bytes read as UTF-8, what is none of it as U+FFFD. */
  readonly text: string;
}

/** The content of a text that was given as it is. */
export function textContent(text: string): Content {
  return { bytes: encodeUtf8(text), text };
}

/**
 * The content of a file or of standard input. One line end at the end of a text is the editor's or
 * the shell's and is dropped; bytes that are no text (a key in DER) are left alone.
 */
export function fileContent(bytes: Uint8Array): Content {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { bytes, text: Buffer.from(bytes).toString('utf8') };
  return textContent(text.replace(/\r?\n$/, ''));
}
