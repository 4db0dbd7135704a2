import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeBase64Strict, encodeBase64, encodeHex, encodeUtf8 } from '../../../src/bytes.ts';
import { algorithms, parseCipher } from '../../../src/crypto/cipher.ts';
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

/** That each decrypts what the other has encrypted. */
function assertAgrees(args: readonly string[], key: string, notation: string): void {
  assert.equal(decrypt(openssl(args, text), key, notation), encodeHex(text), notation);
  const opened = openssl(['-d', ...args], encrypt(notation, key));
  assert.equal(encodeHex(opened), encodeHex(text), notation);
}

describe('openssl enc', () => {
  it('agrees with every cipher but those of GCM, which it has not', () => {
    for (const { name, mode, keyBytes, ivBytes } of algorithms) {
      if (mode === 'gcm') continue;
      const iv = mode === 'ecb' ? '' : hexIv.slice(0, 2 * (ivBytes[0] ?? 0));
      const args = [`-${name}`, '-K', hexKey.slice(0, 2 * keyBytes), ...(iv && ['-iv', iv])];
      assertAgrees(args, hexKey, `${name}?key=hex${iv && `&iv=hex:${iv}`}`);
    }
  });

  it('agrees with keys that are derived from a passphrase', () => {
    for (const digest of ['md5', 'sha256']) {
      const args = ['-aes-192-cbc', '-md', digest, '-pass', `pass:${passphrase}`];
      assertAgrees(args, passphrase, `aes-192-cbc?key=evp-${digest}`);
    }
  });

  it('-a with its line breaks is read', () => {
    const long = Buffer.alloc(200, 'k');
    const args = ['-aes-256-cbc', '-a', '-md', 'md5', '-pass', `pass:${passphrase}`];
    const payload = Buffer.from(openssl(args, long)).toString();
    assert.match(payload, /\n.+\n/);
    const result = decryptPayload(payload, passphrase, parseCipher('cryptojs-passphrase'));
    assert.ok(result.ok);
    assert.deepEqual(result.plaintext, long);
  });
});
