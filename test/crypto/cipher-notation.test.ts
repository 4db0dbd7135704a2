import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  cipherPresets,
  defaultCipher,
  formatCipher,
  listCiphers,
  parseCipher,
} from '../../src/crypto/cipher.ts';
import { fixtureRows } from '../support/fixtures.ts';
import { refusalOf } from '../support/refusal.ts';

type Row = readonly [given: string, expected: string];

const refusal = (notation: string) => refusalOf(() => parseCipher(notation));

describe('the cipher notation', () => {
  it('is read and written in its canonical form', () => {
    for (const [given, expected] of fixtureRows<Row>('readings/cipher-notation.jsonl')) {
      assert.equal(formatCipher(parseCipher(given)), expected);
    }
    assert.deepEqual(parseCipher('aes-256-cbc'), defaultCipher);
  });

  it('is refused where it is wrong, with what is allowed', () => {
    const refused = fixtureRows<Row>('readings/cipher-notation-refused.jsonl');
    for (const [given, message] of refused) {
      const error = refusal(given);
      assert.equal(error.code, 'usage');
      assert.match(error.message, new RegExp(message));
    }
    assert.match(refusal(`aes${'x'.repeat(5000)}`).message, /"aesx{56}…" doesn't exist\.$/);
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
