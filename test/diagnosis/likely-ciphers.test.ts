import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { formatCipher, listCiphers, parseCipher } from '../../src/crypto/cipher-notation.ts';
import { cipherPresets } from '../../src/crypto/cipher-presets.ts';
import { likelyCiphers, neighbouringCiphers } from '../../src/diagnosis/cipher-priors.ts';

describe('likelyCiphers', () => {
  const names = likelyCiphers().map(formatCipher);

  it('has every cipher of the notation once', () => {
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual([...names].sort(), listCiphers().map(formatCipher).sort());
  });

  it('begins with what common stacks make', () => {
    const presets = new Set(cipherPresets.map(({ cipher }) => cipher));
    assert.equal(names[0], formatCipher(defaultCipher));
    assert.deepEqual(new Set(names.slice(0, presets.size)), presets);
  });

  it('puts the one first that there is reason to, also with a fixed IV', () => {
    const first = parseCipher('aria-192-cfb?iv=hex:000102030405060708090a0b0c0d0e0f');
    const ordered = likelyCiphers(first);
    assert.equal(ordered[0], first);
    assert.equal(ordered.length, names.length + 1);
  });

  const usual = [
    'aes-128-cbc',
    'aes-256-cbc?iv=zero&encoding=hex',
    'aes-256-ctr',
    'aes-128-cbc?key=md5',
    'aes-256-gcm?key=sha256',
    'aes-128-gcm',
    'aes-128-cbc?iv=key-tail',
    'aes-256-cbc?encoding=base64url',
    'aes-256-gcm?ivlen=16',
  ];
  for (const cipher of usual) {
    it(`has ${cipher} among the first 256`, () => {
      const at = names.indexOf(formatCipher(parseCipher(cipher)));
      assert.ok(at < 256, `it is at ${at}`);
    });
  }

  it('has odd combinations behind plain ones', () => {
    const at = (cipher: string) => names.indexOf(formatCipher(parseCipher(cipher)));
    assert.ok(at('aes-256-gcm?key=evp-md5') > at('aes-128-cbc?key=evp-md5'));
    assert.ok(at('aes-256-gcm?iv=zero') > at('aes-256-gcm?key=sha256'));
  });
});

describe('neighbouringCiphers', () => {
  it('changes one part beside algorithm and key', () => {
    const neighbours = neighbouringCiphers(defaultCipher).map(formatCipher);
    assert.equal(neighbours.length, 3 + 4 + 2);
    assert.ok(neighbours.includes('aes-256-cbc?key=utf8&iv=zero&padding=pkcs7&encoding=base64'));
    assert.ok(!neighbours.includes(formatCipher(defaultCipher)));
  });

  it('knows the parts of GCM', () => {
    const neighbours = neighbouringCiphers(parseCipher('aes-256-gcm')).map(formatCipher);
    assert.equal(neighbours.length, 3 + 2 + 1 + 1);
  });
});
