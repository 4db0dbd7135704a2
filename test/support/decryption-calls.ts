import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { decryptionCalls } from '../../src/diagnosis/decryption-calls/index.ts';
import type { Stack } from '../../src/errors.ts';
import { seededRandom } from './seeded-random.ts';

/*
 * What is suggested has to decrypt: each call is run in its own language, on a payload that authcli
 * encrypted, and the plaintext compared.
 */

export interface CallCase {
  readonly cipher: string;
  readonly padding: string | undefined;
  readonly call: string;
  readonly key: string;
  readonly payload: string;
  readonly plaintext: string;
}

const hexKey = '000102030405060708090a0b0c0d0e0f';
const textKey = 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE';
const fixed = `hex:${'5b1f0c9e66a04d2fb3a8c1d7e2f49085'}`;

const notations: readonly string[] = [
  ...['aes-256-cbc', 'aes-128-cbc', 'aes-192-cbc', 'aes-256-ecb', 'aes-128-ecb', 'aes-256-ctr'],
  ...['aes-256-cfb', 'aes-256-gcm', 'aes-128-gcm', 'des-ede3-cbc', 'aria-256-cbc', 'aria-128-ecb'],
  ...['zero', 'key-head', 'key-tail', fixed].flatMap((iv) =>
    ['aes-256-cbc', 'aes-128-ctr', 'aes-256-cfb'].map((name) => `${name}?iv=${iv}`),
  ),
  ...['zero', 'ansix923', 'iso10126', 'none'].flatMap((padding) =>
    ['aes-256-cbc', 'aes-256-ecb'].map((name) => `${name}?padding=${padding}`),
  ),
  ...['aes-128-cbc?key=hex', 'aes-192-cbc?key=base64', 'aes-128-cbc?key=base64'],
  ...['sha256', 'md5-hex'].flatMap((key) => [`aes-256-cbc?key=${key}`, `aes-128-ecb?key=${key}`]),
  ...['aes-128-cbc?key=md5', 'aes-128-ecb?key=sha1prng', 'aes-256-cbc?key=evp-sha256'],
  ...['aes-256-cbc?encoding=hex', 'aes-256-cbc?encoding=base64url', 'aes-256-ecb?encoding=hex'],
  ...['tag=after-iv', 'ivlen=16', 'tag=after-iv&ivlen=16', 'iv=zero', 'iv=zero&tag=after-iv'].map(
    (parts) => `aes-256-gcm?${parts}`,
  ),
];

const plaintext = 'passcode 482913 of 2 blocks, 김'; // whole blocks, for padding=none

/** The calls of a stack, each with a payload; ciphers that it has no call for are left out. */
export function callCases(stack: Stack): readonly CallCase[] {
  const { bytes } = seededRandom('calls');
  return notations.flatMap((cipher) => {
    const parsed = parseCipher(cipher);
    const call = decryptionCalls(parsed, { decodes: true })[stack];
    if (call === undefined) return [];
    const text = parsed.padding === 'none' ? plaintext : `${plaintext}rest`;
    const key = parsed.key === 'hex' ? hexKey : textKey;
    const payload = encryptPayload(encodeUtf8(text), key, parsed, bytes);
    return [{ cipher, padding: parsed.padding, call, key, payload, plaintext: text }];
  });
}

/** A call with `return` before its last statement, and without the remark behind it. */
export function returning(call: string): string {
  const code = call.replace(/ \/\/ .*$/, '');
  const at = code.lastIndexOf('; ') + 1;
  return `${code.slice(0, at)} return ${code.slice(at).trim()};`;
}

/** What a program printed for all cases: the text of each, in their order. */
export interface CallResults {
  readonly texts: readonly string[];
  readonly stderr: string;
}

/**
 * Tests the calls of a language by one run of a program for all of them. It runs before the first test, not while
 * the file is loaded: a machine without the program counts the tests that it leaves out.
 */
export function testCalls(
  language: string,
  cases: readonly CallCase[],
  run: (cases: readonly CallCase[]) => CallResults,
): void {
  describe(`the calls for ${language}`, () => {
    let results: CallResults = { texts: [], stderr: '' };
    before(() => {
      results = run(cases);
    });
    for (const [index, { cipher, call, plaintext: expected }] of cases.entries()) {
      it(`decrypt ${cipher}`, () => {
        const { texts, stderr } = results;
        assert.equal(texts[index], expected, `${call}\n${stderr.slice(0, 2000)}`);
      });
    }
  });
}
