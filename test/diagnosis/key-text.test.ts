import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fingerprintOfKey } from '../../src/crypto/secret.ts';
import { inspectKeyText } from '../../src/diagnosis/key-text.ts';
import { fixture, fixtureBytes } from '../support/fixtures.ts';

const base64 = fixture('keys/public.spki.base64');
const rsa = { algorithm: 'rsa', bits: 2048, fingerprint: 'sha256:c1448d2cecf8' } as const;

describe('inspectKeyText', () => {
  it('knows what a key is, and what can be sent', () => {
    for (const [path, kind, encoding, usable] of [
      ['public.spki.der', 'public-key', 'der', true],
      ['public.spki.double-base64', 'public-key', 'double-base64', true],
      ['certificate.pem', 'certificate', 'pem', true],
      ['request.pem', 'certificate-request', 'pem', true],
      ['private.pkcs8.pem', 'private-key', 'pem', false],
    ] as const) {
      const inspection = inspectKeyText(fixtureBytes(`keys/${path}`));
      const { notes, publicKey, ...rest } = inspection;
      assert.deepEqual(rest, { kind, ...rsa, encoding, usable }, path);
      assert.equal(publicKey, usable ? base64 : undefined);
    }
    assert.deepEqual(inspectKeyText(`${base64}\n`).notes, []);
  });

  it("says why another key can't be used", () => {
    for (const [path, kind, algorithm, note] of [
      ['other/ec.public.base64', 'public-key', 'ec', /can't be used as public_key: .*EC/],
      ['other/ec.private.sec1.pem', 'private-key', 'ec', /private key, so none of it is shown/],
      ['public.openssh', 'public-key', undefined, /OpenSSH/],
      ['private.openssh', 'private-key', undefined, /none of it is shown/],
      ['other/rsa-exponent-1.public.base64', 'public-key', 'rsa', /can't be used.* exponent 1/],
      ['other/certificates.p7.pem', 'unknown', undefined, /PKCS #7/],
      ['private.encrypted-pkcs8.pem', 'private-key', undefined, /none of it is shown/],
    ] as const) {
      const inspection = inspectKeyText(fixture(`keys/${path}`));
      const found = [inspection.kind, inspection.algorithm, inspection.usable];
      assert.deepEqual(found, [kind, algorithm, false], path);
      assert.match(inspection.notes.join('\n'), note);
    }
    const small = inspectKeyText(fixture('wraps/small.public.pem'));
    assert.deepEqual([small.usable, small.bits], [true, 1024]);
    assert.deepEqual(small.notes, ['1024 bits are fewer than the 2048 that are usual today']);
  });

  it('takes 32 characters for a per-user key', () => {
    for (const [key, notes] of [
      ['peyo30eJy6lEHn03nLgvLWt3PQcP567c', 0],
      [`{"'[<%41;:,.|~^_=+-*&#@!?>]'"}\\/`, 0],
      ['peyo30eJy6lEHn03 LgvLWt3PQcP567c', 1],
      ['열쇠'.repeat(16), 1],
    ] as const) {
      const inspection = inspectKeyText(`${key}\n`);
      const found = [inspection.kind, inspection.fingerprint, inspection.notes.length];
      assert.deepEqual(found, ['per-user-key', fingerprintOfKey(key), notes]);
    }
  });

  it('says what another length may come from', () => {
    for (const [text, note] of [
      [
        '0123456789abcdef'.repeat(4),
        /64 characters instead of 32: as hexadecimal they are 32 bytes/,
      ],
      [
        'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
        /44 characters instead of 32: as Base64 they are 32 bytes/,
      ],
      [
        '550e8400-e29b-41d4-a716-446655440000',
        /36 characters instead of 32: a UUID with its dashes/,
      ],
      ['"peyo30eJy6lEHn03nLgvLWt3PQcP567c"', /34 characters instead of 32/],
    ] as const) {
      const { kind, notes } = inspectKeyText(text);
      assert.equal(kind, 'unknown');
      assert.match(notes.join('\n'), note);
    }
  });

  it('takes as many bytes as RSA gives for a wrapped key', () => {
    const kindOf = (size: number) => inspectKeyText(Buffer.alloc(size, 0xa7).toString('hex')).kind;
    const kinds = [128, 256, 384, 512, 257].map(kindOf);
    assert.deepEqual(kinds, [...new Array<string>(4).fill('wrapped-key'), 'unknown']);
    const { notes } = inspectKeyText(Buffer.alloc(256, 0xa7).toString('base64'));
    assert.match(notes[0] ?? '', /256 bytes, the size of a ciphertext under RSA with 2048 bits/);
  });
});
