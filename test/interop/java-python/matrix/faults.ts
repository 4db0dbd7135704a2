import { type Combination, keys } from './combinations.ts';
import { languages, type Spec } from './peer.ts';

/** What applications do wrong, and how it is diagnosed. */
export const faults: Readonly<Record<string, string | undefined>> = {
  oaep: 'oaep-sha1',
  unpadded: 'no-padding',
  'short-key': 'key-length',
  'base64-key': 'key-base64-of-32-bytes',
  hexadecimal: 'hex',
  base64url: 'base64url',
  'line-breaks': 'line-breaks',
  'base64-twice': 'double-base64',
  'plain-key': 'plain-key',
  'shown-key': 'key-leaked',
  'code-number': 'code-not-string',
  'no-result': 'result-missing',
  'html-type': undefined,
  'status-500': undefined,
  'other-cipher': 'bad-tag',
};

/** One faulty application behind a relay that decrypts. */
export interface FaultyCombination {
  readonly combination: Combination;
  readonly fault: string;
  readonly spec: Partial<Spec>;
}

/** Every fault in both languages, with the public keys that are chosen. */
export function faultyCombinations(
  isChosen: (key: Combination['key']) => boolean,
): readonly FaultyCombination[] {
  const cipher = 'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64';
  const gcm = 'aes-256-gcm?key=utf8&iv=prefix&encoding=base64&tag=suffix&ivlen=12';
  return keys.filter(isChosen).flatMap((key) =>
    languages.flatMap((language, index) => {
      const sides = [languages[1 - index] ?? language, language] as const;
      const combination = { cipher, format: 'json', zone: 'UTC', key, decrypt: true, sides };
      return Object.keys(faults).map((fault) => ({
        combination,
        fault,
        spec: { fault, ...(fault === 'other-cipher' && { application_cipher: gcm }) },
      }));
    }),
  );
}
