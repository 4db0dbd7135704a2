import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import { formatCipher, parseCipher } from '../../src/crypto/cipher-notation.ts';
import { decryptPayload, encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../../src/crypto/per-user-key.ts';
import { examinePlaintext, type PayloadFinding } from '../../src/diagnosis/payload.ts';
import { tornShape } from '../../src/diagnosis/torn-text.ts';
import { seededRandom } from '../support/seeded-random.ts';

const { bytes } = seededRandom('torn');
const json = '{"email":"kim@example.com","name":"Kim"}';
const form = 'email=kim@example.com&name=Kim&phone=010-1234-5678';

describe('tornShape', () => {
  const torn = {
    JSON: [
      'ample.com","name":"Kim"}',
      'Kim"}',
      'name":"Kim"}',
      '"a@example.com"}',
      ',"name":"Kim"}',
    ],
    'form data': ['ample.com&name=Kim&phone=010', 'm&user_name=%EA%B9%80'],
    'a UUID': ['5f-9c1d-0123456789ab'],
  };
  for (const [shape, texts] of Object.entries(torn)) {
    for (const text of texts) {
      it(`sees the end of ${shape} in ${text}`, () => {
        assert.equal(tornShape(encodeUtf8(text), 16), shape);
      });
    }
  }

  const whole = [
    json,
    form,
    ' [1]',
    '{"a":[]}',
    '482913',
    'pass}',
    '1}',
    'a&b=c',
    'x=1&name=y',
    '[a]',
  ];
  for (const text of [...whole, 'kim|kim@example.com|010', '"482913"', 'Ab"9}', 'p&p;phone']) {
    it(`sees a whole text in ${text}`, () => {
      assert.equal(tornShape(encodeUtf8(text), 16), undefined);
    });
  }
});

/** What is found out about a text that was encrypted under one cipher and decrypted under another. */
function examine(
  text: string | Uint8Array,
  made: string,
  read: string,
): PayloadFinding | undefined {
  const key = generatePerUserKey(bytes);
  const plaintext = typeof text === 'string' ? encodeUtf8(text) : text;
  const payload = encryptPayload(plaintext, key, parseCipher(made), bytes);
  const cipher = parseCipher(read);
  const result = decryptPayload(payload, key, cipher);
  assert.ok(result.ok, 'the wrong cipher has to go unnoticed');
  return examinePlaintext(payload, key, result.plaintext, { cipher });
}

const fixed = `hex:${'5b1f0c9e66a04d2fb3a8c1d7e2f49085'}`;

describe('examinePlaintext', () => {
  const runs = 12;
  for (const made of ['iv=zero', 'iv=key-head', 'iv=key-tail']) {
    for (const text of [json, form, 'passcode-of-more-than-a-block-482913']) {
      it(`names ${made} where the IV was expected in front (${text})`, () => {
        for (let run = 0; run < runs; run += 1) {
          const found = examine(text, `aes-256-cbc?${made}`, 'aes-256-cbc');
          assert.equal(found?.diagnosis.code, 'cipher-mismatch');
          assert.equal(found.fittingCipher, formatCipher(parseCipher(`aes-256-cbc?${made}`)));
        }
      });
    }
  }

  it('says that the first block has another IV where it is fixed in the code', () => {
    for (let run = 0; run < runs; run += 1) {
      for (const read of ['aes-256-cbc', 'aes-256-cbc?iv=zero']) {
        const { diagnosis, fittingCipher } = examine(json, `aes-256-cbc?iv=${fixed}`, read) ?? {};
        assert.equal(diagnosis?.code, 'cipher-mismatch');
        assert.match(diagnosis.message, /in the middle of JSON|16 bytes of noise before/);
        assert.equal(fittingCipher, undefined);
      }
    }
  });

  it('names the cipher with its IV in front where it was read as part of the text', () => {
    for (let run = 0; run < runs; run += 1) {
      const found = examine(json, 'aes-256-cbc', 'aes-256-cbc?iv=zero');
      assert.equal(found?.fittingCipher, formatCipher(parseCipher('aes-256-cbc')));
    }
  });

  it('names the padding that was left on', () => {
    const found = examine(json, 'aes-256-cbc', 'aes-256-cbc?padding=none');
    assert.equal(found?.fittingCipher, formatCipher(parseCipher('aes-256-cbc')));
  });

  it('is silent on what was encrypted under the same cipher', () => {
    const texts = [json, form, '', '4', '482913', 'pass}', '김철수', 'a'.repeat(200), '{"a":"}'];
    const modes = [
      'aes-256-cbc',
      'aes-256-cbc?iv=zero',
      'aes-256-ecb',
      'aes-256-ctr',
      'aes-256-gcm',
    ];
    for (const cipher of [...modes, 'aes-256-cbc?iv=key-head', 'des-ede3-cbc']) {
      for (const text of [...texts, bytes(32), bytes(100)]) {
        const found = examine(text, cipher, cipher);
        assert.equal(found, undefined, `${cipher}: ${found?.diagnosis.message}`);
      }
    }
  });

  it('is silent on 200 passcodes of every length', () => {
    for (let run = 0; run < 200; run += 1) {
      const passcode = generatePerUserKey(bytes, {
        length: 1 + (run % 64),
        alphabet: '{}[]"\':,&=%ABCDEFabcdef0123456789-_+/ ',
      });
      const found = examine(passcode, 'aes-256-cbc', 'aes-256-cbc');
      assert.equal(found, undefined, `${passcode}: ${found?.diagnosis.message}`);
    }
  });
});
