import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  canonicalCipher,
  decryptPayload,
  encryptPayload,
  identifyCipher,
} from '../../src/library/payloads.ts';

const key = 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE';
const info = '{"email":"alice@example.com","name":"앨리스","phone":"+82-10-1234-5678"}';

describe('encryptPayload and decryptPayload', () => {
  for (const cipher of [undefined, 'aria-256-cbc?iv=zero&encoding=hex']) {
    it(`go there and back in ${cipher ?? 'the default'}`, () => {
      const payload = encryptPayload({ plaintext: info, key, cipher });
      const result = decryptPayload({ payload, key, cipher });
      assert.ok(result.ok);
      assert.deepEqual([result.plaintext, result.fittingCipher], [info, undefined]);
    });
  }

  it('give bytes that are not text as bytes, in a buffer of their own', () => {
    const payload = encryptPayload({ plaintext: Uint8Array.of(0xff, 0xfe), key });
    const result = decryptPayload({ payload, key });
    assert.ok(result.ok);
    assert.deepEqual([result.plaintext, ...result.bytes], [null, 0xff, 0xfe]);
    assert.equal(result.bytes.buffer.byteLength, 2);
  });

  // Both were encrypted under key=sha256: one IV in 256 makes the end of the noise look like padding.
  const fits = canonicalCipher('aes-256-cbc?key=sha256');
  const withoutPadding =
    'jPtRv0iSyrM5ZtnMwXvCZuBwlnhfSF9POfL/1+4rBmTD59C8ZUlD/kfimGCvCL5+' +
    'zSOqPrG/tpWynCYIv3wHFBTpkM0Op/M/IXQ6hfYiV4fw9ymAKcOQRejPCfO21G0U';
  const withPadding =
    'g3uC/Piwq4QufSzgTAHtcpi8QOH39+KTUfxA68KA9IQ9GEGHf5DgIacbc2Ue5dNB' +
    'C1phL1Chk8fev7ndNmCzxIPGdojsf7+O0FmcAVOaj5hd6dvktRM18h7kfox/CVO/';

  it('name the cipher that fits', () => {
    const result = decryptPayload({ payload: withoutPadding, key, as: 'ubifill' });
    assert.equal(!result.ok && result.diagnosis.code, 'cipher-mismatch');
    assert.equal(result.fittingCipher, fits);
    const right = decryptPayload({ payload: withoutPadding, key, cipher: fits });
    assert.equal(right.ok && right.plaintext, info);
  });

  it('name it where the noise ends like padding by chance', () => {
    const result = decryptPayload({ payload: withPadding, key, as: 'ubifill' });
    assert.equal(result.ok && result.plaintext, null);
    assert.equal(result.fittingCipher, fits);
  });

  const refusals = [
    ['an unknown cipher', () => encryptPayload({ plaintext: '', key, cipher: 'rot13' }), /rot13/],
    ['no key', () => encryptPayload({ plaintext: '', key: '' }), /option key/],
    ['no payload', () => decryptPayload({ key } as never), /option payload is missing/],
    ['nothing to identify', () => identifyCipher({ payload: [], key }), /option payload/],
  ] as const;
  for (const [what, call, message] of refusals) {
    it(`refuse ${what}`, () => {
      assert.throws(call, { name: 'AuthcliError', code: 'usage', message });
    });
  }
});

describe('identifyCipher', () => {
  it('names the cipher and how sure it is', () => {
    const payload = encryptPayload({ plaintext: info, key, cipher: 'aes-256-gcm' });
    const { candidates, ...found } = identifyCipher({ payload, key, as: 'ubifill' });
    const cipher = canonicalCipher('aes-256-gcm');
    const finding = { cipher, confidence: 'certain', plaintext: info };
    assert.deepEqual([found, candidates[0]], [{ ok: true, ...finding }, finding]);
  });

  it('says why nothing fits', () => {
    const noise = createHash('sha512').update('noise').digest('base64');
    for (const [payload, code, message] of [
      [info, 'payload-encoding', /plain text that was never encrypted/],
      [noise, 'wrong-key', /No cipher of the notation/],
    ] as const) {
      const found = identifyCipher({ payload, key });
      assert.ok(!found.ok);
      assert.deepEqual([found.diagnosis.code, ...found.candidates], [code]);
      assert.match(found.diagnosis.message, message);
    }
  });
});
