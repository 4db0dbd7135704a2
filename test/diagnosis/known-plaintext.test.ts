import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeUtf8, encodeUtf8 } from '../../src/bytes.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { identifyCipher } from '../../src/diagnosis/cipher-identification.ts';
import { seededRandom } from '../support/seeded-random.ts';

const key = 'EeYa89itM2rvZQGKEOwTLvFnslqlGaJK';
const json = '{"email":"kim@example.com","name":"임민수"}';
const { bytes } = seededRandom('known plaintext');

function seal(text: string, notation: string): string {
  return encryptPayload(encodeUtf8(text), key, parseCipher(notation), bytes);
}

function identify(payloads: readonly string[], knownPlaintext: string | Uint8Array): string[] {
  const found = identifyCipher(payloads, key, { knownPlaintext });
  return found.map(({ cipher, confidence }) => `${confidence} ${cipher}`);
}

/** Fixed IVs in every mode that has one; the text is longer than a block. */
const fixedIvs = [
  'aes-256-cbc?key=utf8&iv=hex:5b1f0c9e66a04d2fb3a8c1d7e2f49085&padding=pkcs7&encoding=base64',
  'aes-128-cbc?key=md5&iv=hex:5b1f0c9e66a04d2fb3a8c1d7e2f49085&padding=iso10126&encoding=hex',
  'des-ede3-cbc?key=sha256&iv=hex:5b1f0c9e66a04d2f&padding=pkcs7&encoding=base64',
  'aria-192-cfb?key=utf8&iv=hex:5b1f0c9e66a04d2fb3a8c1d7e2f49085&padding=none&encoding=base64',
  'aes-256-cfb?key=utf8&iv=hex:5b1f0c9e66a04d2fb3a8c1d7e2f49085&padding=pkcs7&encoding=base64',
  'aes-256-ctr?key=sha1prng&iv=hex:5b1f0c9e66a04d2fb3a8c1d7e2f49085&padding=none&encoding=hex',
  'aes-256-gcm?key=utf8&iv=hex:5b1f0c9e66a04d2fb3a8c1d7&encoding=hex&tag=suffix&ivlen=12',
  'aes-256-gcm?key=utf8&iv=hex:5b1f0c9e66a04d2fb3a8c1d7&encoding=hex&tag=after-iv&ivlen=12',
  'aria-256-gcm?key=md5-hex&iv=hex:5b1f0c9e66a04d2fb3a8c1d7e2f49085&encoding=hex&tag=suffix&ivlen=16',
] as const;

describe('identification with a known plaintext', () => {
  it('is certain of the cipher that gives it', () => {
    const notation = 'aes-256-ctr?key=sha256&iv=key-tail&padding=none&encoding=hex';
    const text = '44784421370996105583'; // more than a block, which CFB reads like CTR
    assert.deepEqual(identify([seal(text, notation)], text).slice(0, 1), [`certain ${notation}`]);
    assert.deepEqual(identify([seal(text, notation)], encodeUtf8(text)).slice(0, 1), [
      `certain ${notation}`,
    ]);
  });

  it('names every cipher that gives it, and is certain of none of several', () => {
    const found = identify([seal('151908745078', 'aes-256-ctr?encoding=hex')], '151908745078');
    const first = 'key=utf8&iv=prefix&padding=none&encoding=hex';
    assert.deepEqual(found, [`likely aes-256-ctr?${first}`, `likely aes-256-cfb?${first}`]);
  });

  it('is not certain of a plaintext so short that chance gives it', () => {
    const found = identify([seal('7', 'aes-256-ctr')], '7');
    assert.ok(found.length > 0);
    assert.ok(found.every((line) => !line.startsWith('certain')));
  });

  it('finds nothing for another plaintext', () => {
    assert.deepEqual(identify([seal(json, 'default')], '{"email":"lee@example.com"}'), []);
    assert.deepEqual(identify([seal(json, 'default')], ''), []);
  });

  for (const notation of fixedIvs) {
    it(`solves ${notation}`, () => {
      const [best] = identify([seal(json, notation)], json);
      assert.equal(best, `certain ${notation}`);
    });
  }

  it('says of an IV that one block alone asks for that it is possible, the usual cipher first', () => {
    const found = identify([seal('134457', fixedIvs[0])], '134457');
    assert.equal(found[0], `possible ${fixedIvs[0]}`);
    assert.equal(found.length, 10);
    assert.ok(found.every((line) => line.startsWith('possible')));
  });

  it('prefers a constant IV to one that looks drawn', () => {
    for (const iv of [
      '000102030405060708090a0b0c0d0e10',
      '6d79766563746f72313233346d796976',
      '01'.repeat(16),
    ]) {
      const notation = `aes-128-cbc?key=md5&iv=hex:${iv}&padding=pkcs7&encoding=hex`;
      const [best] = identify([seal('134457', notation)], '134457');
      if (iv.startsWith('0001')) assert.match(best ?? '', /^possible/);
      else assert.match(best ?? '', new RegExp(`aes-128-cbc\\?key=md5&iv=hex:${iv}`));
    }
  });

  it('takes a second payload as proof of a solved IV', () => {
    const payloads = [seal('134457', fixedIvs[0]), seal(json, fixedIvs[0])];
    assert.deepEqual(identify(payloads, '134457'), [`certain ${fixedIvs[0]}`]);
    assert.deepEqual(identify(payloads.toReversed(), '134457'), [`certain ${fixedIvs[0]}`]);
  });

  it('takes no proof from a second payload that says nothing', () => {
    const uuid = '2fdfa0f6-ac7b-42fc-9df5-1d362c4bb128';
    const fixed = seal(uuid.slice(0, 12), fixedIvs[0]);
    const foreign = encryptPayload(
      encodeUtf8('x'),
      `${key.slice(1)}x`,
      parseCipher(fixedIvs[0]),
      bytes,
    );
    const found = identify([fixed, foreign], uuid.slice(0, 12));
    assert.ok(found.every((line) => line.startsWith('possible')));
  });

  it('gives the first payload’s plaintext, whichever the known one is', () => {
    const payloads = [seal(json, 'default'), seal('134457', 'default')];
    const [best] = identifyCipher(payloads, key, { knownPlaintext: '134457' });
    assert.equal(best && decodeUtf8(best.plaintext), json);
  });

  it('can’t solve what less than a block shows', () => {
    const notation = 'aes-256-ctr?iv=hex:5b1f0c9e66a04d2fb3a8c1d7e2f49085';
    assert.deepEqual(identify([seal('134457', notation)], '134457'), []);
  });
});
