import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeBase64, encodeUtf8 } from '../../src/bytes.ts';
import { listCiphers, parseCipher } from '../../src/crypto/cipher-notation.ts';
import { encryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { diagnosePayload, type PayloadContext } from '../../src/diagnosis/payload.ts';
import { isPlausiblePlaintext } from '../../src/diagnosis/plausibility.ts';
import { anyCharacter } from '../support/any-character.ts';
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

/** What is wrong, the payload, the code, and what the message says. */
const cases = [
  [
    'another IV rule',
    seal(json, 'aes-256-cbc?iv=key-head'),
    'cipher-mismatch',
    /iv key-head instead of prefix; likely/,
  ],
  [
    'another algorithm',
    seal(json, 'aes-256-gcm'),
    'cipher-mismatch',
    /algorithm aes-256-gcm instead of aes-256-cbc, padding absent instead of pkcs7/,
  ],
  [
    'openssl enc',
    fixture('openssl', 'evp-sha256'),
    'cipher-mismatch',
    /key evp-sha256 instead of utf8/,
  ],
  [
    'CryptoJS passphrases',
    fixture('cryptojs', 'aes-256-cbc?key=evp-md5'),
    'cipher-mismatch',
    /key evp-md5 instead of utf8/,
  ],
  [
    'Java SHA1PRNG',
    fixture('java', 'sha1prng'),
    'cipher-mismatch',
    /decrypts with aes-128-ecb\?key=sha1prng/,
  ],
  [
    'hexadecimal',
    seal(json, 'aes-256-cbc?encoding=hex'),
    'payload-encoding',
    /\(encoding hex instead of base64; certain\)/,
  ],
  [
    'quotation marks',
    JSON.stringify(seal(json)),
    'payload-encoding',
    /has quotation marks inside the field; with that undone, it decrypts/,
  ],
  [
    'escapes',
    seal(json)
      .replaceAll('/', '\\/')
      .replace(/(.{40})/, '$1\\n'),
    'payload-encoding',
    /escaped twice/,
  ],
  ['percent encoding', encodeURIComponent(seal(json)), 'payload-encoding', /is percent-encoded/],
  [
    'spaces for plus',
    withPlus().replaceAll('+', ' '),
    'payload-encoding',
    /has spaces where Base64 has "\+"/,
  ],
  [
    'Base64 twice',
    encodeBase64(encodeUtf8(seal(json))),
    'payload-encoding',
    /is Base64 of text that is already encoded/,
  ],
  [
    'Base64 of hexadecimal',
    encodeBase64(encodeUtf8(seal(json, 'aes-256-cbc?encoding=hex'))),
    'payload-encoding',
    /decrypts with aes-256-cbc\?.*encoding=hex/,
  ],
  ['plain digits', '134457', 'payload-encoding', /looks like plain text that was never encrypted/],
  ['plain JSON', json, 'payload-encoding', /never encrypted/],
  [
    'a cut text',
    seal(json).slice(0, 50),
    'payload-encoding',
    /bytes of ciphertext are not a multiple of the block of 16/,
  ],
  [
    'one block under a fixed IV',
    seal('482913', 'aes-256-cbc?iv=hex:8899aabbccddeeff0011223344556677'),
    'cipher-mismatch',
    /its 16 bytes are exactly one block, without the IV that aes-256-cbc has in front/,
  ],
  ['nothing', '', 'payload-encoding', /0 bytes, at least 16 are needed/],
] as const;

describe('the diagnosis of a payload', () => {
  for (const [what, payload, code, message] of cases) {
    it(`says ${code} of ${what}`, () => {
      const { diagnosis } = diagnose(payload);
      assert.equal(diagnosis.code, code);
      assert.match(diagnosis.message, /^ptn_sp /);
      assert.match(diagnosis.message, message);
      assert.notEqual(diagnosis.hint, '');
      assert.ok(!diagnosis.message.includes(key) && !diagnosis.message.includes('kim@'));
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
    assert.match(
      padding.message,
      /the last byte is 0x[0-9a-f]{2}.*; no other cipher decrypts it to text/,
    );
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
  for (const [notation, form, message] of forms) {
    it(`says wrong-key of ${JSON.stringify(form)}`, () => {
      const { diagnosis } = diagnose(seal(json, notation, form), notation);
      assert.equal(diagnosis.code, 'wrong-key');
      assert.match(diagnosis.message, message);
    });
  }

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
    const payload = seal('134457', 'aes-256-gcm');
    assert.equal(
      diagnose(payload, 'default', { knownPlaintext: '999999' }).diagnosis.code,
      'cipher-mismatch',
    );
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

describe('a plausible plaintext', () => {
  const plausible = ['', '134457', json, '임민수', 'a\n'];
  for (const text of plausible) {
    it(`is ${JSON.stringify(text)}`, () => {
      assert.equal(isPlausiblePlaintext(encodeUtf8(text)), true);
    });
  }

  it('is not noise', () => {
    for (let count = 0; count < 50; count++) assert.equal(isPlausiblePlaintext(bytes(32)), false);
  });
});
