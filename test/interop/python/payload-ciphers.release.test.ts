import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { decodeUtf8, encodeUtf8 } from '../../../src/bytes.ts';
import type { Cipher } from '../../../src/crypto/cipher.ts';
import { formatCipher, listCiphers } from '../../../src/crypto/cipher-notation.ts';
import { decryptPayload, encryptPayload } from '../../../src/crypto/payload-ciphers.ts';

const script = fileURLToPath(new URL('payload_ciphers.py', import.meta.url));
const text = '{"email":"kim.minsu@mail.example.com","name":"임민수","phone":"010-123-4567"}';
/** Hexadecimal and Base64 at once, long enough for every reading. */
const key = '603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4';

interface Row {
  readonly cipher: string;
  readonly payload: string;
  readonly plaintext: string;
}

/** Sends rows through `payload_ciphers.py`, which decrypts each and encrypts its text anew. */
function python(rows: readonly Pick<Row, 'cipher' | 'payload'>[]): readonly Row[] {
  const input = JSON.stringify({ key, rows });
  const run = spawnSync('python3', [script], { input, encoding: 'utf8', maxBuffer: 2 ** 26 });
  assert.equal(run.status, 0, run.stderr);
  return JSON.parse(run.stdout);
}

function isKnownToPython({ algorithm, key: reading }: Cipher): boolean {
  return !algorithm.startsWith('aria') && reading !== 'sha1prng';
}

describe("Python's cryptography", () => {
  it('opens and is opened, for every cipher of the notation with AES or DES', () => {
    assert.equal(encodeUtf8(text).length % 16, 0, 'whole blocks, since padding=none demands them');
    const ciphers = listCiphers().filter(isKnownToPython);
    const plain = encodeUtf8(text);
    const rows = ciphers.map((cipher) => ({
      cipher: formatCipher(cipher),
      payload: encryptPayload(plain, key, cipher, randomBytes),
    }));
    for (const [index, found] of python(rows).entries()) {
      assert.equal(found.plaintext, text, found.cipher);
      const result = decryptPayload(found.payload, key, ciphers[index] ?? assert.fail());
      assert.equal(result.ok ? decodeUtf8(result.plaintext) : result.detail, text, found.cipher);
    }
  });
});
