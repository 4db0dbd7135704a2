import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeUtf8, encodeBase64, encodeUtf8 } from '../../src/bytes.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { identifyCipher } from '../../src/diagnosis/cipher-identification.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';
import { payloadFixtures } from '../support/payload-fixtures.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { isNeverCertainOfNoise } from './noise.ts';

const key = 'EeYa89itM2rvZQGKEOwTLvFnslqlGaJK';
const json = '{"email":"kim@example.com","name":"임민수"}';
const { bytes } = seededRandom('identification');

function seal(text: string | Uint8Array, notation: string, withKey = key): string {
  const plain = typeof text === 'string' ? encodeUtf8(text) : text;
  return encryptPayload(plain, withKey, parseCipher(notation), bytes);
}

function summary(...args: Parameters<typeof identifyCipher>): string[] {
  return identifyCipher(...args).map(({ cipher, confidence }) => `${confidence} ${cipher}`);
}

describe('cipher identification', () => {
  for (const { maker, cipher, key: rowKey, kind, plaintext, payload } of payloadFixtures) {
    const isFixed = cipher.includes('iv=hex:');
    it(`finds ${cipher}, made by ${maker}`, () => {
      const known = isFixed ? plaintext : undefined;
      const [best] = identifyCipher([payload], rowKey, { kind, knownPlaintext: known });
      assert.equal(best?.cipher, cipher);
      assert.equal(best && decodeUtf8(best.plaintext), plaintext);
      assert.notEqual(best?.confidence, 'possible');
    });
  }

  it('is certain where no other reading gives other clean text', () => {
    const [best] = identifyCipher([seal(json, 'default')], key);
    assert.equal(best?.confidence, 'certain');
  });

  it('is not where the rest of the text is clean under another IV', () => {
    const found = summary([seal(json, 'aes-256-cbc?iv=zero')], key);
    assert.match(found[0] ?? '', /^likely aes-256-cbc\?key=utf8&iv=zero&padding=pkcs7/);
    assert.ok(found.some((line) => line.startsWith('possible aes-256-cbc?key=utf8&iv=prefix')));
  });

  it('puts the stricter padding and Base64 first among equals', () => {
    const oneByteOfPadding = '0123456789abcde';
    const payload = Array.from({ length: 300 }, () => seal(oneByteOfPadding, 'default'));
    const plainBase64 = payload.find((text) => !/[+/]/.test(text)) ?? assert.fail();
    const common = 'aes-256-cbc?key=utf8&iv=prefix&padding=';
    const found = identifyCipher([plainBase64], key).map(({ cipher }) =>
      cipher.replace(common, ''),
    );
    assert.deepEqual(found.slice(0, 2), ['pkcs7&encoding=base64', 'pkcs7&encoding=base64url']);
    const places = ['pkcs7', 'ansix923', 'iso10126'].map((name) =>
      found.indexOf(`${name}&encoding=base64`),
    );
    assert.deepEqual(
      places,
      places.toSorted((left, right) => left - right),
    );
    assert.ok(!places.includes(-1));
  });

  it('takes a missing "=" for base64url', () => {
    const payload =
      'FTMTSjLPsk0eV0T6B1V0GLCdQKh7iJGGA41wEc3mJPJFPaEHD8n7Wfp1XUjmw3KGcfE67rUAQ6KANU5PkoXhkA';
    const withKey = 'c0443f87d53030e462e05b07a8f5bf13';
    const encodingOf = (text: string) => identifyCipher([text], withKey)[0]?.cipher;
    assert.match(encodingOf(payload) ?? '', /&encoding=base64url$/);
    assert.match(encodingOf(`${payload}==`) ?? '', /&encoding=base64$/);
  });

  it('names ECB and CBC with a zero IV alike where there is one block', () => {
    const found = identifyCipher([seal('447844366689', 'aes-128-ecb?key=md5')], key);
    const alike = found.filter(({ plaintext }) => decodeUtf8(plaintext) === '447844366689');
    assert.deepEqual(
      alike
        .map(({ cipher }) => cipher.replace('encoding=base64url', 'encoding=base64'))
        .slice(0, 2),
      [
        'aes-128-ecb?key=md5&padding=pkcs7&encoding=base64',
        'aes-128-cbc?key=md5&iv=zero&padding=pkcs7&encoding=base64',
      ],
    );
    assert.equal(new Set(alike.map(({ confidence }) => confidence)).size, 1);
    assert.equal(found[0], alike[0]);
  });

  it('is never certain of two: one block is the same under ECB and CBC with a zero IV', () => {
    for (let run = 0; run < 10; run += 1) {
      const oneBlock = seal('passcode-48291', 'aes-256-ecb');
      for (const knownPlaintext of [undefined, 'passcode-48291']) {
        const found = identifyCipher([oneBlock], key, { knownPlaintext });
        const [ecb, zero] = ['aes-256-ecb?key=utf8&', 'aes-256-cbc?key=utf8&iv=zero&'].map(
          (start) => found.find(({ cipher }) => cipher.startsWith(start)),
        );
        assert.deepEqual([ecb?.confidence, zero?.confidence], ['likely', 'likely']);
        assert.ok(found.every(({ confidence }) => confidence !== 'certain'));
      }
    }
  });

  it('is certain of one padding and encoding at most', () => {
    for (let run = 0; run < 20; run += 1) {
      const found = identifyCipher([seal(json, 'default')], key);
      assert.equal(found.filter(({ confidence }) => confidence === 'certain').length, 1);
    }
  });

  it('is narrowed by more payloads of the same user', () => {
    const notation = 'aes-256-cfb?iv=prefix';
    const short = seal('4711', notation);
    const alone = summary([short], key);
    assert.ok(alone.length > 1);
    assert.ok(alone.every((line) => !line.startsWith('certain')));
    const together = summary([short, seal(json, notation)], key);
    assert.match(together[0] ?? '', /^certain aes-256-cfb\?key=utf8&iv=prefix&padding=none/);
    assert.deepEqual(summary([short, short, short], key), alone, 'the same payload is no news');
  });

  it('finds nothing where the payloads have nothing in common', () => {
    assert.deepEqual(summary([seal(json, 'default'), seal(json, 'aes-256-gcm')], key), []);
  });

  it('finds text in a long payload and bytes that are not text by their proof', () => {
    const long = JSON.stringify({ name: '임민수'.repeat(2_000) });
    assert.match(
      summary([seal(long, 'aria-256-gcm?iv=key-tail')], key)[0] ?? '',
      /^certain aria-256-gcm/,
    );
    assert.match(summary([seal(long, 'aes-192-ctr')], key)[0] ?? '', /^certain aes-192-ctr/);
    const noise = bytes(48);
    assert.match(summary([seal(noise, 'aes-256-gcm')], key)[0] ?? '', /^certain aes-256-gcm/);
    assert.match(
      summary([seal(noise, 'default')], key)[0] ?? '',
      /^certain aes-256-cbc\?key=utf8&iv=prefix/,
    );
    assert.deepEqual(summary([seal(noise, 'aes-256-ctr')], key), []);
  });

  it('recognises a fixed IV by its noise in the first block', () => {
    const payload = seal(json, 'aes-256-cbc?iv=hex:5b1f0c9e66a04d2fb3a8c1d7e2f49085');
    const found = summary([payload], key);
    const common = 'aes-256-cbc?key=utf8&iv=';
    assert.equal(
      found[0],
      `possible ${common}prefix&padding=pkcs7&encoding=base64`,
      'without its head',
    );
    assert.equal(new Set(found).size, found.length, 'each once');
    assert.ok(found.includes(`possible ${common}zero&padding=pkcs7&encoding=base64`));
  });

  it('knows the IVs that tutorials show', () => {
    const iv = 'hex:31323334353637383930313233343536';
    const [best] = identifyCipher([seal(json, `aes-256-cbc?iv=${iv}`)], key);
    assert.equal(best?.cipher, `aes-256-cbc?key=utf8&iv=${iv}&padding=pkcs7&encoding=base64`);
  });
});

describe('cipher identification of what it can’t know', () => {
  isNeverCertainOfNoise(40);

  it('gives nothing back for nothing', () => {
    assert.deepEqual(identifyCipher([], key), []);
    for (const payload of ['', '=', 'not a payload!', '\u0000']) {
      assert.deepEqual(identifyCipher([payload], key), []);
    }
  });

  it('never throws, whatever payload and key', () => {
    const payload = fc.oneof(fc.string({ unit: anyCharacter }), fc.uint8Array().map(encodeBase64));
    fc.assert(
      fc.property(payload, fc.string({ unit: anyCharacter }), (text, anyKey) => {
        identifyCipher([text], anyKey);
        identifyCipher([text], anyKey, { knownPlaintext: 'known' });
      }),
      { numRuns: 30 },
    );
  });
});
