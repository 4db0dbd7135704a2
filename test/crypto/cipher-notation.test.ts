import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import {
  cipherPresets,
  formatCipher,
  listCiphers,
  parseCipher,
} from '../../src/crypto/cipher-notation.ts';
import { AuthcliError } from '../../src/errors.ts';

const cbc = 'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64';
const gcm = 'aes-256-gcm?key=utf8&iv=prefix&encoding=base64';
const iv16 = 'iv=hex:000102030405060708090a0b0c0d0e0f';
const reordered = 'aes-192-cbc?encoding=hex&padding=zero&iv=key-tail&key=base64';
const canonical = [
  ['aes-256-cbc?', cbc],
  [' AES-128-ECB?Key=MD5\n', 'aes-128-ecb?key=md5&padding=pkcs7&encoding=base64'],
  [reordered, 'aes-192-cbc?key=base64&iv=key-tail&padding=zero&encoding=hex'],
  ['aria-256-ctr', 'aria-256-ctr?key=utf8&iv=prefix&padding=none&encoding=base64'],
  ['aes-256-cfb?padding=pkcs7', 'aes-256-cfb?key=utf8&iv=prefix&padding=pkcs7&encoding=base64'],
  ['aes-256-gcm', `${gcm}&tag=suffix&ivlen=12`],
  ['aes-256-gcm?ivlen=16&tag=after-iv', `${gcm}&tag=after-iv&ivlen=16`],
  [
    `aes-256-gcm?${iv16.toUpperCase()}`,
    `aes-256-gcm?key=utf8&${iv16}&encoding=base64&tag=suffix&ivlen=16`,
  ],
  ['aes-256-gcm?key=evp-sha256', 'aes-256-gcm?key=evp-sha256&encoding=base64&tag=suffix&ivlen=12'],
] as const;

const refusals = [
  ['aes-255-cbc', /algorithm "aes-255-cbc" doesn't exist; did you mean "aes-256-cbc"\?/],
  ['', /algorithm "" doesn't exist\.$/],
  ['aes-256-cbc?mode=x', /part "mode" doesn't exist\.$/],
  ['aes-256-cbc?paddin=zero', /part "paddin" doesn't exist; did you mean "padding"/],
  ['aes-256-cbc?key=sha265', /key "sha265" doesn't exist; did you mean "sha256"/],
  ['aes-256-gcm?ivlen=13', /ivlen "13" doesn't exist/],
  ['aes-256-cbc?key=md5&key=md5', /part key is given twice/],
  ['aes-256-ecb?iv=zero', /iv doesn't apply to aes-256-ecb: ECB has no IV/],
  ['aes-256-cbc?key=evp-md5&iv=zero', /iv doesn't apply .*: key=evp-md5 derives the IV/],
  ['aes-256-cbc?tag=suffix', /tag doesn't apply to aes-256-cbc: only GCM/],
  ['aes-256-gcm?padding=none', /padding doesn't apply to aes-256-gcm/],
  ['aes-256-ctr?padding=zero', /padding=zero doesn't apply to aes-256-ctr/],
  ['aes-256-cbc?key=md5', /key=md5 doesn't apply to aes-256-cbc: it gives 16 bytes, 32 are needed/],
  ['aes-256-cbc?iv=hex:00', /iv "hex:00" doesn't fit aes-256-cbc/],
  [`aes-256-gcm?${iv16.slice(0, -8)}&ivlen=16`, /ivlen=16 contradicts the iv of 12 bytes/],
  [`aes${'x'.repeat(5000)}`, /algorithm "aesx{56}…" doesn't exist\.$/],
  ['aes\u001b[31m', /algorithm "aes\\u001b\[31m" doesn't exist/],
] as const;

function refusal(notation: string): AuthcliError {
  try {
    parseCipher(notation);
  } catch (error) {
    if (error instanceof AuthcliError) return error;
    throw error;
  }
  return assert.fail(`${notation} was taken`);
}

describe('the cipher notation', () => {
  it('is read and written in its canonical form', () => {
    for (const [given, expected] of canonical) {
      assert.equal(formatCipher(parseCipher(given)), expected);
    }
    assert.deepEqual(parseCipher('aes-256-cbc'), defaultCipher);
  });

  it('is refused where it is wrong, with what is allowed', () => {
    for (const [given, message] of refusals) {
      const error = refusal(given);
      assert.equal(error.code, 'usage');
      assert.match(error.message, message);
    }
    const ivs = 'Allowed: prefix, zero, key-head, key-tail, hex:….';
    assert.equal(refusal('aes-256-cbc?iv=random').hint, ivs);
    assert.equal(refusal('aes-256-cfb?padding=zero').hint, 'Allowed: none, pkcs7.');
    assert.match(refusal('sm4').hint, /des-ede3-cbc/);
  });

  it('prints every cipher of its space so that it reads back, each once, in any order', () => {
    const notations = listCiphers().map(formatCipher);
    assert.equal(new Set(notations).size, notations.length);
    for (const notation of notations) {
      const [algorithm, parts = ''] = notation.split('?');
      const reversed = `${algorithm}?${parts.split('&').reverse().join('&')}`;
      for (const text of [notation, reversed])
        assert.equal(formatCipher(parseCipher(text)), notation);
    }
  });

  it('has presets that are canonical, with names of their own', () => {
    for (const { name, cipher } of cipherPresets) {
      assert.equal(formatCipher(parseCipher(cipher)), cipher);
      assert.equal(formatCipher(parseCipher(name)), cipher);
    }
    assert.equal(new Set(cipherPresets.map(({ name }) => name)).size, cipherPresets.length);
  });
});
