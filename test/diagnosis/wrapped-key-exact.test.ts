import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { encodeBase64 } from '../../src/bytes.ts';
import type { RsaPrivateKey } from '../../src/crypto/rsa-key.ts';
import { encryptRsaesPkcs1V15 } from '../../src/crypto/rsaes-pkcs1-v1_5.ts';
import { diagnoseWrappedKey } from '../../src/diagnosis/wrapped-key.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const nextKeyPair = keyPairSource();
const randomBytes = seededBytes('wrapped-key-exact');

let privateKey: RsaPrivateKey;
before(async () => {
  privateKey = await nextKeyPair(2048);
});

const ofWrap = /^(?:hex|key-bytes-reversed|no-padding|oaep|double-base64|not-base64)/;

function codesOf(ciphertext: Uint8Array): readonly string[] {
  const { diagnoses } = diagnoseWrappedKey(encodeBase64(ciphertext), { privateKey });
  return diagnoses.map(({ code }) => code);
}

function small(value: number, size = privateKey.modulusBytes): Uint8Array {
  const ciphertext = new Uint8Array(size);
  ciphertext[ciphertext.length - 1] = value;
  return ciphertext;
}

describe('a ciphertext with a valid PKCS #1 block', () => {
  it('is read as nothing else, whatever is inside', () => {
    for (let run = 0; run < 200; run += 1) {
      const message = randomBytes(run);
      const codes = codesOf(encryptRsaesPkcs1V15(privateKey.publicKey, message, randomBytes));
      assert.ok(!codes.some((code) => ofWrap.test(code)), `${message.length}: ${codes}`);
    }
  });

  it('is not read as hexadecimal because its Base64 has only such digits', async () => {
    // as in Wycheproof: the ciphertexts 0, 1 and 2 in 384 bytes are AAAA…AAAC
    const larger = await nextKeyPair(3072);
    for (const value of [0, 1, 2]) {
      const text = encodeBase64(small(value, larger.modulusBytes));
      assert.match(text, /^A+[ABC]$/);
      const { diagnoses } = diagnoseWrappedKey(text, { privateKey: larger });
      assert.ok(!diagnoses.some(({ code }) => code === 'hex'), diagnoses[0]?.message);
    }
  });

  it('contains no key where the ciphertext is 0', () => {
    const { key, ok, diagnoses } = diagnoseWrappedKey(encodeBase64(small(0)), { privateKey });
    assert.equal(ok, false);
    assert.equal(key, undefined);
    assert.deepEqual(
      diagnoses.map(({ code }) => code),
      ['no-padding'],
    );
  });
});
