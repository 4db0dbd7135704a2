import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeBase64Strict, encodeBase64, encodeHex, encodeUtf8 } from '../../../src/bytes.ts';
import { algorithms } from '../../../src/crypto/cipher.ts';
import { parseCipher } from '../../../src/crypto/cipher-notation.ts';
import { decryptPayload, encryptPayload } from '../../../src/crypto/payload-ciphers.ts';

const hexKey = '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4';
const hexIv = 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff';
const passphrase = 'mkqK5HERCigkv1hXk2UgQV4r09O4lq7T';
const text = encodeUtf8('{"email":"kim@example.com","name":"임민수","phone":"010-1234-5678"}');

function openssl(args: readonly string[], input: Uint8Array): Uint8Array {
  const { status, stdout, stderr } = spawnSync('openssl', ['enc', ...args], { input });
  assert.equal(status, 0, stderr.toString());
  return stdout;
}

function encrypt(notation: string, key: string): Uint8Array {
  const payload = encryptPayload(text, key, parseCipher(notation), randomBytes);
  return decodeBase64Strict(payload) ?? assert.fail(payload);
}

function decrypt(bytes: Uint8Array, key: string, notation: string): string {
  const result = decryptPayload(encodeBase64(bytes), key, parseCipher(notation));
  return result.ok ? encodeHex(result.plaintext) : result.detail;
}

describe('openssl enc', () => {
  for (const { name, mode, keyBytes, ivBytes } of algorithms.filter(({ mode }) => mode !== 'gcm')) {
    const ivDigits = hexIv.slice(0, 2 * (ivBytes[0] ?? 0));
    const notation = `${name}?key=hex${mode === 'ecb' ? '' : `&iv=hex:${ivDigits}`}`;
    const iv = mode === 'ecb' ? [] : ['-iv', ivDigits];
    const args = [`-${name}`, '-K', hexKey.slice(0, 2 * keyBytes), ...iv];

    it(`-${name} is opened and opens`, () => {
      assert.equal(decrypt(openssl(args, text), hexKey, notation), encodeHex(text));
      const opened = openssl(['-d', ...args], encrypt(notation, hexKey));
      assert.equal(encodeHex(opened), encodeHex(text));
    });

    for (const digest of ['md5', 'sha256'] as const) {
      it(`-${name} -md ${digest} with a passphrase is opened and opens`, () => {
        const salted = [`-${name}`, '-md', digest, '-pass', `pass:${passphrase}`];
        const evp = `${name}?key=evp-${digest}`;
        assert.equal(decrypt(openssl(salted, text), passphrase, evp), encodeHex(text));
        const opened = openssl(['-d', ...salted], encrypt(evp, passphrase));
        assert.equal(encodeHex(opened), encodeHex(text));
      });
    }
  }

  it('-a with its line breaks is read', () => {
    const long = Buffer.alloc(200, 'k');
    const args = ['-aes-256-cbc', '-a', '-md', 'md5', '-pass', `pass:${passphrase}`];
    const payload = Buffer.from(openssl(args, long)).toString();
    assert.match(payload, /\n.+\n/);
    const result = decryptPayload(payload, passphrase, parseCipher('cryptojs-passphrase'));
    assert.ok(result.ok);
    assert.deepEqual(result.plaintext, long);
  });

  it('-nopad is what padding=none means', () => {
    const block = text.subarray(0, 16);
    const args = ['-aes-256-ecb', '-nopad', '-K', hexKey];
    const bytes = openssl(args, block);
    assert.equal(decrypt(bytes, hexKey, 'aes-256-ecb?key=hex&padding=none'), encodeHex(block));
  });
});
