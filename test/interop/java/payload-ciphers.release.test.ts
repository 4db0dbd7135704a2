import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { decodeBase64Strict, decodeUtf8, encodeUtf8 } from '../../../src/bytes.ts';
import { algorithmOf } from '../../../src/crypto/cipher.ts';
import { parseCipher } from '../../../src/crypto/cipher-notation.ts';
import { decryptPayload, encryptPayload } from '../../../src/crypto/payload-ciphers.ts';

const source = fileURLToPath(new URL('PayloadCiphers.java', import.meta.url));
const key = 'EeYa89itM2rvZQGKEOwTLvFnslqlGaJK';
const text = '{"email":"kim@example.com","name":"임민수"}';

/** Java's name, its key bits (0: from the characters), the bytes of IV in front, and the notation. */
const cases = [
  ['AES/CBC/PKCS5Padding', 0, 16, 'aes-256-cbc'],
  ['AES/CBC/ISO10126Padding', 0, 16, 'aes-256-cbc?padding=iso10126'],
  ['AES', 0, 0, 'aes-256-ecb'],
  ['AES/ECB/PKCS5Padding', 0, 0, 'aes-256-ecb'],
  ['AES/CTR/NoPadding', 0, 16, 'aes-256-ctr'],
  ['AES/CFB/NoPadding', 0, 16, 'aes-256-cfb'],
  ['AES/CFB/PKCS5Padding', 0, 16, 'aes-256-cfb?padding=pkcs7'],
  ['AES/GCM/NoPadding', 0, 12, 'aes-256-gcm'],
  ['AES/GCM/NoPadding', 0, 16, 'aes-256-gcm?ivlen=16'],
  ['DESede/CBC/PKCS5Padding', 0, 8, 'des-ede3-cbc'],
  ['AES', 128, 0, 'aes-128-ecb?key=sha1prng'],
  ['AES', 192, 0, 'aes-192-ecb?key=sha1prng'],
  ['AES', 256, 0, 'aes-256-ecb?key=sha1prng'],
  ['AES/CBC/PKCS5Padding', 128, 16, 'aes-128-cbc?key=sha1prng'],
  ['AES/GCM/NoPadding', 256, 12, 'aes-256-gcm?key=sha1prng'],
  ['DESede/CBC/PKCS5Padding', 168, 8, 'des-ede3-cbc?key=sha1prng'],
] as const;

describe("Java's javax.crypto", () => {
  let lines: readonly string[] = [];

  before(() => {
    const input = cases.map(([transformation, bits, ivBytes, notation]) => {
      const payload = encryptPayload(encodeUtf8(text), key, parseCipher(notation), randomBytes);
      return `${transformation} ${bits} ${key} ${ivBytes} ${payload}\n`;
    });
    const run = spawnSync('java', [source], { input: input.join(''), encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    lines = run.stdout.trim().split('\n');
  });

  for (const [index, [transformation, bits, ivBytes, notation]] of cases.entries()) {
    const from = bits === 0 ? '' : `, SHA1PRNG key of ${bits} bits`;
    it(`${transformation}${from} with ${ivBytes} bytes of IV is ${notation}, both ways`, () => {
      const [plaintext = '', payload = ''] = lines[index]?.split(' ') ?? [];
      assert.equal(decodeUtf8(decodeBase64Strict(plaintext) ?? assert.fail()), text);
      const cipher = parseCipher(notation);
      const result = decryptPayload(payload, key, cipher);
      assert.equal(result.ok ? decodeUtf8(result.plaintext) : result.detail, text);
      assert.equal(algorithmOf(cipher).tagBytes === 16, transformation.includes('GCM'));
    });
  }
});
