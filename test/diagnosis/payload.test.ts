import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeBase64, encodeUtf8 } from '../../src/bytes.ts';
import { formatCipher, listCiphers, parseCipher } from '../../src/crypto/cipher-notation.ts';
import { decryptPayload, encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../../src/crypto/per-user-key.ts';
import {
  diagnosePayload,
  examinePlaintext,
  type PayloadContext,
  type PayloadFinding,
} from '../../src/diagnosis/payload.ts';
import { tornShape } from '../../src/diagnosis/plausibility.ts';
import { anyCharacter } from '../support/any-character.ts';
import { draws } from '../support/draws.ts';
import { fc } from '../support/fast-check.ts';
import { fixture } from '../support/payload-fixtures.ts';
import { seededRandom } from '../support/seeded-random.ts';

const key = 'EeYa89itM2rvZQGKEOwTLvFnslqlGaJK';
const otherKey = 'RZATDyQ0xzWhNYoe0LxGHjUcsdJbq5IS';
const json = '{"email":"kim@example.com","name":"임민수"}';
const { bytes } = seededRandom('payload diagnosis');

function seal(text: string, notation = 'default', withKey = key): string {
  return encryptPayload(encodeUtf8(text), withKey, parseCipher(notation), bytes);
}

function diagnose(
  payload: string,
  set = 'default',
  more: Partial<PayloadContext> = {},
  withKey = key,
) {
  return diagnosePayload(payload, withKey, { cipher: parseCipher(set), field: 'ptn_sp', ...more });
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

/** By code, payloads and what is said of them. */
const cases: Readonly<Record<string, readonly (readonly [string, RegExp])[]>> = {
  'cipher-mismatch': [
    [seal(json, cbc('iv=key-head')), /iv key-head instead of prefix; likely/],
    [seal(json, 'aes-256-gcm'), /algorithm aes-256-gcm instead of aes-256-cbc, padding absent in/],
    [fixture('openssl', 'evp-sha256'), /key evp-sha256 instead of utf8/],
    [fixture('java', 'sha1prng'), /decrypts with aes-128-ecb\?key=sha1prng/],
    [oneBlock, /its 16 bytes are exactly one block, without the IV that aes-256-cbc has in front/],
  ],
  'payload-encoding': [
    [seal(json, cbc('encoding=hex')), /\(encoding hex instead of base64; certain\)/],
    [JSON.stringify(seal(json)), /has quotation marks inside .*; with that undone, it decrypts/],
    [escaped, /escaped twice/],
    [encodeURIComponent(seal(json)), /is percent-encoded/],
    [withPlus().replaceAll('+', ' '), /has spaces where Base64 has "\+"/],
    [twice(seal(json)), /is Base64 of text that is already encoded/],
    [twice(seal(json, cbc('encoding=hex'))), /decrypts with aes-256-cbc\?.*encoding=hex/],
    ['134457', /looks like plain text that was never encrypted/],
    [json, /never encrypted/],
    [seal(json).slice(0, 50), /bytes of ciphertext are not a multiple of the block of 16/],
    ['', /0 bytes, at least 16 are needed/],
  ],
};

describe('the diagnosis of a payload', () => {
  for (const [code, rows] of Object.entries(cases)) {
    it(`says ${code}`, () => {
      for (const [payload, message] of rows) {
        const { diagnosis } = diagnose(payload);
        assert.equal(diagnosis.code, code, message.source);
        assert.match(diagnosis.message, /^ptn_sp /);
        assert.match(diagnosis.message, message);
        assert.notEqual(diagnosis.hint, '');
        assert.ok(!diagnosis.message.includes(key) && !diagnosis.message.includes('kim@'));
      }
    });
  }

  it('gives the cipher to set, and none where it is set already', () => {
    const found = diagnose(seal(json, 'aes-256-cbc?iv=zero'));
    const fitting = 'aes-256-cbc?key=utf8&iv=zero&padding=pkcs7&encoding=base64';
    assert.equal(found.fittingCipher, fitting);
    assert.equal(found.candidates[0]?.cipher, fitting);
    assert.equal(diagnose(JSON.stringify(seal(json))).fittingCipher, undefined);
  });

  it('says bad-padding and bad-tag where nothing explains them', () => {
    const padding = diagnose(seal(json, 'default', otherKey)).diagnosis;
    assert.equal(padding.code, 'bad-padding');
    assert.match(padding.message, /last byte is 0x[0-9a-f]{2}.*; no other cipher decrypts it/);
    const tag = diagnose(seal(json, 'aes-256-gcm', otherKey), 'aes-256-gcm').diagnosis;
    assert.equal(tag.code, 'bad-tag');
    assert.match(tag.message, /authentication tag does not fit/);
  });

  it('says wrong-key of a payload that another known key opens', () => {
    const payload = seal(json, 'default', otherKey);
    const { diagnosis } = diagnose(payload, 'default', { otherKeys: [key, 'x', otherKey] });
    assert.equal(diagnosis.code, 'wrong-key');
    assert.match(diagnosis.message, /with another known key, sha256:[0-9a-f]{12}, not with/);
    assert.ok(!diagnosis.message.includes(otherKey));
  });

  const forms = [
    ['aes-256-cbc?key=sha256', `${key}\n`, /followed by a line break/],
    ['aes-256-cbc?key=sha256', `"${key}"`, /in quotation marks/],
    ['default', key.toLowerCase(), /in lower case/],
    ['default', key.toUpperCase(), /in upper case/],
    ['aes-256-gcm', [...key].reverse().join(''), /this key reversed/],
  ] as const;
  it('says wrong-key of a payload that another form of the key opens', () => {
    for (const [notation, form, message] of forms) {
      const { diagnosis } = diagnose(seal(json, notation, form), notation);
      assert.equal(diagnosis.code, 'wrong-key', message.source);
      assert.match(diagnosis.message, message);
    }
  });

  it('says wrong-key of noise under a cipher without a check', () => {
    const { diagnosis } = diagnose(seal(json, 'aes-256-ctr', otherKey), 'aes-256-ctr');
    assert.equal(diagnosis.code, 'wrong-key');
    assert.match(diagnosis.message, /bytes that are not text/);
  });

  it('says cipher-mismatch where the set cipher can’t be it and none fits', () => {
    const salted = diagnose(encodeBase64(bytes(48)), 'cryptojs-passphrase').diagnosis;
    assert.equal(salted.code, 'cipher-mismatch');
    assert.match(salted.message, /does not begin with "Salted__"/);
    const unusable = diagnose(encodeBase64(bytes(48)), 'hex-key-aes-128').diagnosis;
    assert.equal(unusable.code, 'cipher-mismatch');
    assert.match(unusable.message, /the key can't be read as hex/);
  });

  it('goes on without a known plaintext that fits nowhere', () => {
    const more = { knownPlaintext: '999999' };
    const { diagnosis } = diagnose(seal('134457', 'aes-256-gcm'), 'default', more);
    assert.equal(diagnosis.code, 'cipher-mismatch');
  });

  it('uses more payloads of the same user', () => {
    const notation = 'aes-256-ctr?iv=zero';
    const more = { morePayloads: [seal(json, notation)] };
    const { fittingCipher } = diagnose(seal('4711', notation), 'aes-256-gcm', more);
    assert.equal(fittingCipher, 'aes-256-ctr?key=utf8&iv=zero&padding=none&encoding=base64');
  });

  it('says "The payload" where no field is named', () => {
    const { diagnosis } = diagnosePayload('', key, { cipher: parseCipher('default') });
    assert.match(diagnosis.message, /^The payload can't be decrypted/);
  });

  it('never throws and never shows the key or the plaintext', () => {
    const ciphers = listCiphers();
    const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.uint8Array().map(encodeBase64));
    fc.assert(
      fc.property(text, fc.constantFrom(...ciphers), (payload, cipher) => {
        const { diagnosis } = diagnosePayload(payload, key, { cipher, otherKeys: [otherKey] });
        assert.ok(!diagnosis.message.includes(key) && !diagnosis.hint.includes(key));
      }),
      { numRuns: 40 },
    );
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
    for (const text of texts) assert.equal(tornShape(encodeUtf8(text), 16), shape, text);
  }
  const whole = [json, form, ' [1]', '{"a":[]}', '482913', 'pass}', '1}', 'a&b=c', 'x=1&name=y'];
  for (const text of [...whole, '[a]', 'kim|kim@a.com|010', '"482913"', 'Ab"9}', 'p&p;phone']) {
    assert.equal(tornShape(encodeUtf8(text), 16), undefined, text);
  }
});

describe('a plaintext that was decrypted under another cipher', () => {
  /** What is found out about a text that was encrypted under one cipher and decrypted under another. */
  function examine(
    text: string | Uint8Array,
    made: string,
    read: string,
  ): PayloadFinding | undefined {
    const withKey = generatePerUserKey(bytes);
    const plaintext = typeof text === 'string' ? encodeUtf8(text) : text;
    const payload = encryptPayload(plaintext, withKey, parseCipher(made), bytes);
    const cipher = parseCipher(read);
    const result = decryptPayload(payload, withKey, cipher);
    assert.ok(result.ok, 'the wrong cipher has to go unnoticed');
    return examinePlaintext(payload, withKey, result.plaintext, { cipher });
  }

  const runs = draws(12);
  const fixed = cbc('iv=hex:5b1f0c9e66a04d2fb3a8c1d7e2f49085');

  it('names the cipher', () => {
    const rows: readonly (readonly [made: string, read: string])[] = [
      [cbc('iv=zero'), 'aes-256-cbc'],
      [cbc('iv=key-head'), 'aes-256-cbc'],
      [cbc('iv=key-tail'), 'aes-256-cbc'],
      ['aes-256-cbc', cbc('iv=zero')],
      ['aes-256-cbc', cbc('padding=none')],
    ];
    for (const [made, read] of rows) {
      const others = read === 'aes-256-cbc' ? [form, 'passcode-of-more-than-a-block-482913'] : [];
      for (const text of [json, ...others]) {
        for (let run = 0; run < runs; run += 1) {
          const found = examine(text, made, read);
          assert.equal(found?.diagnosis.code, 'cipher-mismatch');
          assert.equal(found.fittingCipher, formatCipher(parseCipher(made)));
        }
      }
    }
  });

  it('says that the first block has another IV where it is fixed in the code', () => {
    for (let run = 0; run < runs; run += 1) {
      for (const read of ['aes-256-cbc', cbc('iv=zero')]) {
        const { diagnosis, fittingCipher } = examine(json, fixed, read) ?? {};
        assert.equal(diagnosis?.code, 'cipher-mismatch');
        assert.match(diagnosis.message, /in the middle of JSON|16 bytes of noise before/);
        assert.equal(fittingCipher, undefined);
      }
    }
  });

  it('is silent on what was encrypted under the same cipher', () => {
    const ciphers = ['aes-256-cbc', cbc('iv=zero'), 'aes-256-ecb', 'aes-256-ctr', 'aes-256-gcm'];
    const texts = [json, form, '', '4', '482913', 'pass}', '김철수', 'a'.repeat(200), '{"a":"}'];
    for (const cipher of [...ciphers, cbc('iv=key-head'), 'des-ede3-cbc']) {
      for (const text of [...texts, bytes(32), bytes(100)]) {
        const found = examine(text, cipher, cipher);
        assert.equal(found, undefined, `${cipher}: ${found?.diagnosis.message}`);
      }
    }
    const alphabet = '{}[]"\':,&=%ABCDEFabcdef0123456789-_+/ ';
    for (let run = 0; run < draws(200); run += 1) {
      const passcode = generatePerUserKey(bytes, { length: 1 + (run % 64), alphabet });
      assert.equal(examine(passcode, 'aes-256-cbc', 'aes-256-cbc'), undefined, passcode);
    }
  });
});
