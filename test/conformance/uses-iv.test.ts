import assert from 'node:assert/strict';
import { createDecipheriv } from 'node:crypto';
import { describe, it } from 'node:test';
import { parseCipher } from '../../src/crypto/cipher.ts';
import { draws } from '../support/draws.ts';
import { startHandWritten } from '../support/hand-written-application.ts';
import { newRun } from './support.ts';

/*
 * Applications that store whatever they decrypt, noise included: only their padding shows them that something is wrong.
 */

type Decrypt = (raw: Buffer, key: Buffer) => Buffer;

function cbc(ciphertext: Buffer, key: Buffer, iv: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
}

/** PKCS #7 by hand: OpenSSL has none in CFB. */
function unpadded(padded: Buffer): Buffer {
  const count = padded.at(-1) ?? 0;
  const filler = padded.subarray(padded.length - count);
  const isRight = count > 0 && count <= 16 && filler.every((octet) => octet === count);
  if (!isRight) throw new Error('bad padding');
  return padded.subarray(0, padded.length - count);
}

const zeros = Buffer.alloc(16);
const right: Decrypt = (raw, key) => cbc(raw.subarray(16), key, raw.subarray(0, 16));
/** Java's `doFinal` of no bytes gives no bytes. */
const likeJava: Decrypt = (raw, key) => (raw.length === 16 ? Buffer.alloc(0) : right(raw, key));
/** As `openssl_decrypt($payload, …, substr(base64_decode($payload), 0, 16))` does. */
const keepsIv: Decrypt = (raw, key) => cbc(raw, key, raw.subarray(0, 16));
const head = (key: Buffer) => key.subarray(0, 16);

/** Decrypts with ECB and cuts off what the last byte says. */
const ecb: Decrypt = (raw, key) => {
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(raw), decipher.final()]);
  return padded.subarray(0, padded.length - (padded.at(-1) ?? 0));
};
const cfb = (from: number, raw: Buffer, key: Buffer) =>
  unpadded(createDecipheriv('aes-256-cfb', key, raw.subarray(0, 16)).update(raw.subarray(from)));
const cfbOrNothing: Decrypt = (raw, key) => (raw.length > 16 ? cfb(16, raw, key) : raw);
const fixedIv =
  (iv: Buffer): Decrypt =>
  (raw, key) =>
    cbc(raw.subarray(16), key, iv);

const padded = 'aes-256-cfb?padding=pkcs7';
const keyHead = 'aes-256-cbc?iv=key-head';
const zeroIv = 'aes-256-cbc?iv=zero';
const noise = /^failed .* the whole payload with an IV of zeros, .* begins with 16 bytes of noise/;
const keyAsIv = /^failed .*whole payload with the first 16 characters of the key as IV/;
const keptIv = /^failed .* decrypts it again as a part of the ciphertext/;
const underZeros = /^failed .*accepted under an IV of zeros/;
const unclear = /^incomplete .*can't determine/;
const ownIv = Buffer.from('1234567890123456');

describe('registration/uses-iv', () => {
  for (const [title, notation, decrypt, verdict] of [
    ['a right application', 'default', right, /^passed$/],
    ['an IV alone is an empty text', 'default', likeJava, /^passed$/],
    ['everything under zeros', 'default', (raw, key) => cbc(raw, key, zeros), noise],
    ['the key as IV of everything', 'default', (raw, key) => cbc(raw, key, head(key)), keyAsIv],
    ['the IV is left in the ciphertext', 'default', keepsIv, keptIv],
    ['the same in CFB with padding', padded, (raw, key) => cfb(0, raw, key), keptIv],
    ['a right application of CFB', padded, (raw, key) => cfb(16, raw, key), /^passed$/],
    ['an IV alone in CFB', padded, cfbOrNothing, /^passed$/],
    ['zeros, without the IV', 'default', fixedIv(zeros), underZeros],
    ['an IV of its own', 'default', fixedIv(ownIv), /fixed IV 3132/],
    ['its own for everything', 'default', (raw, key) => cbc(raw, key, ownIv), /whole .* IV 3132/],
    ['the key as IV, rightly', keyHead, (raw, key) => cbc(raw, key, head(key)), /^passed$/],
    ['zeros instead of the key', keyHead, (raw, key) => cbc(raw, key, zeros), underZeros],
    ['the first block as IV', zeroIv, right, /^failed .*under the first 16 bytes of the payload/],
    ['the same, likeJava', zeroIv, likeJava, /^failed .*uses the first block as the IV/],
    ['ECB without padding', 'default', ecb, unclear],
    ['no decryption', 'default', (raw) => raw, unclear],
  ] as const satisfies readonly (readonly [string, string, Decrypt, RegExp])[]) {
    it(`judges ${title}`, async () => {
      const written = (raw: Buffer, key: string) => {
        decrypt(raw, Buffer.from(key));
        return Buffer.from('{}');
      };
      const [cipher, check] = [parseCipher(notation), ['registration/uses-iv']];
      for (let run = 0; run < draws(2); run += 1) {
        const { url, close } = await startHandWritten({ decrypt: written });
        const started = newRun(url, { cipher, check, seed: `${run}` }).start();
        const { checks } = await started.finally(close);
        const { status, fault, reason = '' } = checks[0] ?? assert.fail();
        assert.match(`${status} ${fault?.diagnosis?.message ?? reason}`.trim(), verdict);
      }
    });
  }
});
