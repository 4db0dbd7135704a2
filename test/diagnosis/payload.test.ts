import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeBase64, encodeUtf8 } from '../../src/bytes.ts';
import { defaultCipher, formatCipher, parseCipher } from '../../src/crypto/cipher.ts';
import { decryptPayload, encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../../src/crypto/per-user-key.ts';
import {
  diagnosePayload,
  examinePlaintext,
  type SealedPayload,
} from '../../src/diagnosis/payload.ts';
import { tornShape } from '../../src/diagnosis/plausibility.ts';
import { draws } from '../support/draws.ts';
import { seededRandom } from '../support/seeded-random.ts';

const key = 'EeYa89itM2rvZQGKEOwTLvFnslqlGaJK';
const otherKey = 'RZATDyQ0xzWhNYoe0LxGHjUcsdJbq5IS';
const json = '{"email":"kim@example.com","name":"임민수"}';
const { bytes } = seededRandom('payload diagnosis');

function seal(text: string | Uint8Array, notation = 'default', withKey = key): string {
  const plaintext = typeof text === 'string' ? encodeUtf8(text) : text;
  return encryptPayload(plaintext, withKey, parseCipher(notation), bytes);
}

function diagnose(payload: string, set = 'default', more: Partial<SealedPayload> = {}) {
  return diagnosePayload({ payload, key, cipher: parseCipher(set), field: 'ptn_sp', ...more });
}

const withPlus = (): string => {
  for (;;) {
    const payload = seal(json);
    if (payload.includes('+') && !payload.endsWith('+')) return payload;
  }
};

const cbc = (parts: string) => `aes-256-cbc?${parts}`;
const twice = (text: string) => encodeBase64(encodeUtf8(text));
const escaped = seal(json)
  .replaceAll('/', '\\/')
  .replace(/(.{40})/, '$1\\n');
const oneBlock = seal('482913', cbc('iv=hex:8899aabbccddeeff0011223344556677'));
const sha256 = cbc('key=sha256');
const withOther = (notation?: string) => seal(json, notation, otherKey);
const otherKeys = [key, 'x', otherKey];
const noise = encodeBase64(bytes(48));
const reversed = [...key].reverse().join('');

type Row = readonly [string, RegExp, set?: string, more?: Partial<SealedPayload>];

/** By code, payloads and what is said of them. */
const cases: Readonly<Record<string, readonly Row[]>> = {
  'cipher-mismatch': [
    [seal(json, cbc('iv=key-head')), /iv key-head instead of prefix; likely/],
    [seal(json, 'aes-256-gcm'), /algorithm aes-256-gcm instead of aes-256-cbc, padding absent in/],
    [oneBlock, /its 16 bytes are exactly one block, without the IV that aes-256-cbc has in front/],
    [noise, /does not begin with "Salted__"/, 'cryptojs-passphrase'],
  ],
  'payload-encoding': [
    [seal(json, cbc('encoding=hex')), /\(encoding hex instead of base64; certain\)/],
    [JSON.stringify(seal(json)), /has quotation marks inside .*; with that undone, it decrypts/],
    [escaped, /escaped twice/],
    [withPlus().replaceAll('+', ' '), /has spaces where Base64 has "\+"/],
    [twice(seal(json)), /is Base64 of text that is already encoded/],
    [twice(seal(json, cbc('encoding=hex'))), /decrypts with aes-256-cbc\?.*encoding=hex/],
    ['134457', /looks like plain text that was never encrypted/],
    [seal(json).slice(0, 50), /bytes of ciphertext are not a multiple of the block of 16/],
    ['', /0 bytes, at least 16 are needed/],
  ],
  'bad-padding': [[withOther(), /last byte is 0x[0-9a-f]{2}.*; no other cipher decrypts it/]],
  'bad-tag': [[withOther('aes-256-gcm'), /authentication tag does not fit/, 'aes-256-gcm']],
  'wrong-key': [
    [withOther(), /another known key, sha256:[0-9a-f]{12}, not with/, 'default', { otherKeys }],
    [withOther('aes-256-ctr'), /bytes that are not text/, 'aes-256-ctr'],
    [seal(json, sha256, `${key}\n`), /followed by a line break/, sha256],
    [seal(json, 'default', key.toLowerCase()), /in lower case/],
    [seal(json, 'aes-256-gcm', reversed), /this key reversed/, 'aes-256-gcm'],
  ],
};

describe('the diagnosis of a payload', () => {
  for (const [code, rows] of Object.entries(cases)) {
    it(`says ${code}`, () => {
      for (const [payload, message, set, more] of rows) {
        const { diagnosis } = diagnose(payload, set, more);
        assert.equal(diagnosis.code, code, message.source);
        assert.match(diagnosis.message, /^ptn_sp /);
        assert.match(diagnosis.message, message);
        assert.notEqual(diagnosis.hint, '');
        for (const secret of [key, otherKey, 'kim@']) {
          assert.ok(!`${diagnosis.message} ${diagnosis.hint}`.includes(secret));
        }
      }
    });
  }

  it('gives the cipher to set, and none where it is set already', () => {
    const found = diagnose(seal(json, 'aes-256-cbc?iv=zero'));
    const fitting = 'aes-256-cbc?key=utf8&iv=zero&padding=pkcs7&encoding=base64';
    assert.deepEqual([found.fittingCipher, found.candidates[0]?.cipher], [fitting, fitting]);
    assert.equal(diagnose(JSON.stringify(seal(json))).fittingCipher, undefined);
  });

  it('names the ciphers that read a text which is too short to tell', () => {
    const { diagnosis, fittingCipher } = diagnose(seal('48', 'aes-256-cfb'));
    assert.match(diagnosis.message, /aes-256-ctr, aes-256-cfb, .* read text .* too short to tell/);
    assert.deepEqual([diagnosis.confidence, fittingCipher], ['likely', undefined]);
  });
});

const form = 'email=kim@example.com&name=Kim&phone=010-1234-5678';

it('sees which text begins in the middle', () => {
  const torn = {
    JSON: ['ample.com","name":"Kim"}', 'name":"Kim"}', '"a@example.com"}', ',"name":"Kim"}'],
    'form data': ['ample.com&name=Kim&phone=010', 'm&user_name=%EA%B9%80'],
    'a UUID': ['5f-9c1d-0123456789ab'],
  };
  for (const [shape, texts] of Object.entries(torn)) {
    for (const text of texts) assert.equal(tornShape(encodeUtf8(text), defaultCipher), shape, text);
  }
  const whole = [json, form, ' [1]', '{"a":[]}', '482913', 'pass}', '1}', 'a&b=c', 'x=1&name=y'];
  for (const text of [...whole, '[a]', 'kim|kim@a.com|010', '"482913"', 'Ab"9}', 'p&p;phone']) {
    assert.equal(tornShape(encodeUtf8(text), defaultCipher), undefined, text);
  }
});

describe('a plaintext that was decrypted under another cipher', () => {
  /** What is found out about a text that was encrypted under one cipher and decrypted under another. */
  function examine(text: string | Uint8Array, made: string, read: string) {
    const withKey = generatePerUserKey(bytes);
    const payload = seal(text, made, withKey);
    const cipher = parseCipher(read);
    const result = decryptPayload(payload, withKey, cipher);
    assert.ok(result.ok, 'the wrong cipher has to go unnoticed');
    return examinePlaintext({ payload, key: withKey, cipher }, result.plaintext);
  }

  const runs = draws(2);
  const fixed = cbc('iv=hex:5b1f0c9e66a04d2fb3a8c1d7e2f49085');

  it('names the cipher', () => {
    const longPasscode = 'passcode-of-more-than-a-block-482913';
    for (const [made, read, texts] of [
      [cbc('iv=zero'), 'aes-256-cbc', [json, form, longPasscode]],
      [cbc('iv=key-head'), 'aes-256-cbc', [json, form, longPasscode]],
      [cbc('iv=key-tail'), 'aes-256-cbc', [json, form, longPasscode]],
      ['aes-256-cbc', cbc('iv=zero'), [json]],
      ['aes-256-cbc', cbc('padding=none'), [json]],
    ] as const) {
      for (const text of texts.flatMap((one) => new Array<string>(runs).fill(one))) {
        const found = examine(text, made, read);
        assert.equal(found?.diagnosis.code, 'cipher-mismatch');
        assert.equal(found.fittingCipher, formatCipher(parseCipher(made)));
      }
    }
  });

  it('says that the first block has another IV where it is fixed in the code', () => {
    for (const read of new Array(runs).fill(['aes-256-cbc', cbc('iv=zero')]).flat()) {
      const { diagnosis, fittingCipher } = examine(json, fixed, read) ?? {};
      assert.deepEqual([diagnosis?.code, fittingCipher], ['cipher-mismatch', undefined]);
      assert.match(diagnosis?.message ?? '', /in the middle of JSON|16 bytes of noise before/);
    }
  });

  it('is silent on what was encrypted under the same cipher', () => {
    const ciphers = ['aes-256-cbc', cbc('iv=zero'), 'aes-256-ecb', 'aes-256-ctr', 'aes-256-gcm'];
    const nested = '{"a":"{\\"b\\":1}"}';
    const texts = [
      json,
      nested,
      form,
      '',
      '4',
      '482913',
      'pass}',
      '"}',
      'Ab3-+x"}',
      '김철수',
      'a'.repeat(200),
      '{"a":"}',
    ];
    for (const cipher of [...ciphers, cbc('iv=key-head'), 'des-ede3-cbc']) {
      for (const text of [...texts, bytes(32), bytes(100)]) {
        const found = examine(text, cipher, cipher);
        assert.equal(found, undefined, `${cipher}: ${found?.diagnosis.message}`);
      }
    }
    const alphabet = '{}[]"\':,&=%ABCDEFabcdef0123456789-_+/ ';
    for (let run = 0; run < draws(40); run += 1) {
      const passcode = generatePerUserKey(bytes, 1 + (run % 64), alphabet);
      assert.equal(examine(passcode, 'aes-256-cbc', 'aes-256-cbc'), undefined, passcode);
    }
  });
});
