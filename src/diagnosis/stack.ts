import type { Stack } from '../errors.ts';
import { recogniseErrorText, searchedLength } from './error-text.ts';
import { type HeaderLines, stackOfHeaders, stackOfText } from './stack-signs.ts';

/**
 * The stack that a response was made with, by its error text, its stack trace, its error page or its
 * headers; undefined where nothing decides. A choice of language for examples, never a verdict.
 */
export function recogniseStack(headers: HeaderLines, body: Uint8Array): Stack | undefined {
  const text = Buffer.from(body.subarray(0, searchedLength)).toString('latin1');
  return stackOfText(text) ?? recogniseErrorText(text)?.stack ?? stackOfHeaders(headers);
}
