import { decodeBase64Lenient, decodeHex, encodeUtf8 } from '../bytes.ts';
import { countCharacters, perUserKeyLength } from '../crypto/per-user-key.ts';
import { hasControls } from '../text.ts';

/** Longer texts are no per-user key in any encoding. */
const longestEncodedKey = 200;

/** Whether a text is a per-user key by its form (2.2): 32 characters, none of them a control. */
export function looksLikePerUserKey(text: string): boolean {
  return (
    text.length <= 2 * perUserKeyLength &&
    countCharacters(text) === perUserKeyLength &&
    !hasControls(text)
  );
}

/** What is odd about a text that has the form of a per-user key. */
export function notesOnPerUserKey(key: string): readonly string[] {
  const isAscii = encodeUtf8(key).length === key.length;
  return [
    ...(/\s/u.test(key) ? ['it has white space in it, which is easily lost on the way'] : []),
    ...(isAscii ? [] : ['it has characters outside ASCII: in UTF-8 it is more than 32 bytes']),
  ];
}

/** What a text of another length than 32 may have been meant as: a per-user key, encoded or quoted. */
export function notesOnOtherLength(line: string): readonly string[] {
  if (line.length > longestEncodedKey) return [];
  const inner = line.trim().replace(/^(["'])(.*)\1$/u, '$2');
  const count = countCharacters(line);
  if (countCharacters(inner) === perUserKeyLength) {
    return [
      `without what stands around it, it would be a per-user key: it has ${count} characters instead of 32`,
    ];
  }
  if (decodeHex(inner)?.length === 32) return [lengthNote(count, '32 bytes in hexadecimal')];
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(inner)) {
    return [lengthNote(count, 'a UUID with its dashes, which has 32 digits without them')];
  }
  if (decodeBase64Lenient(inner)?.length === 32) return [lengthNote(count, '32 bytes in Base64')];
  return [];
}

function lengthNote(count: number, what: string): string {
  return `it is ${count} characters, ${what}: a per-user key has 32 characters`;
}
