import { AuthcliError } from '../errors.ts';

/**
 * Reads user codes from a text: one a line, white space around and empty lines ignored, and lines
 * that begin with `#`.
 * @throws AuthcliError `usage` where there is none.
 */
export function readUserCodes(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const codes = lines.map((line) => line.trim()).filter((line) => line !== '' && !/^#/.test(line));
  if (codes.length > 0) return [...new Set(codes)];
  throw new AuthcliError('usage', 'There is no user code in the file.', {
    hint: 'Write one code a line, of users that the application lets sign up.',
  });
}
