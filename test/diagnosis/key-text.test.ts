import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { fingerprintOfKey } from '../../src/crypto/secret.ts';
import { inspectKeyText } from '../../src/diagnosis/key-text.ts';
import { fc } from '../support/fast-check.ts';
import { fixture, fixtureBytes } from '../support/fixtures.ts';

const base64 = fixture('keys/public.spki.base64');
const fingerprint = 'sha256:c1448d2cecf8';
const rsa = { algorithm: 'rsa', bits: 2048, fingerprint } as const;

describe('inspectKeyText', () => {
  const keys = [
    ['public.spki.base64', 'public-key', 'base64', true],
    ['public.spki.der', 'public-key', 'der', true],
    ['public.spki.hex', 'public-key', 'hex', true],
    ['public.spki.base64url', 'public-key', 'base64url', true],
    ['public.spki.double-base64', 'public-key', 'double-base64', true],
    ['public.pkcs1.pem', 'public-key', 'pem', true],
    ['public.jwk.json', 'public-key', 'jwk', true],
    ['certificate.pem', 'certificate', 'pem', true],
    ['request.pem', 'certificate-request', 'pem', true],
    ['private.pkcs8.pem', 'private-key', 'pem', false],
    ['private.jwk.json', 'private-key', 'jwk', false],
  ] as const;
  it('knows what a key is, and what can be sent', () => {
    for (const [path, kind, encoding, usable] of keys) {
      const inspection = inspectKeyText(fixtureBytes(`keys/${path}`));
      const { notes, publicKey, facts, ...rest } = inspection;
      assert.equal(facts?.subject, kind.startsWith('certificate') ? 'CN=example' : undefined);
      assert.deepEqual(rest, { kind, ...rsa, encoding, usable }, path);
      assert.equal(publicKey, usable ? base64 : undefined);
    }
  });

  const others = [
    ['other/ec.public.base64', 'public-key', 'ec'],
    ['other/ec.private.sec1.pem', 'private-key', 'ec'],
    ['other/ed25519.public.base64', 'public-key', 'ed25519'],
    ['public.openssh', 'public-key', undefined],
    ['private.openssh', 'private-key', undefined],
    ['other/x25519.public.base64', 'public-key', 'x25519'],
    ['other/dsa.public.base64', 'public-key', 'dsa'],
    ['other/dsa.private.pem', 'private-key', 'dsa'],
    ['other/rsa-pss.public.base64', 'public-key', 'rsa-pss'],
    ['other/rsa-exponent-1.public.base64', 'public-key', 'rsa'],
    ['other/rsa-even-modulus.public.base64', 'public-key', 'rsa'],
    ['other/rsa-trailing-bytes.public.base64', 'public-key', 'rsa'],
    ['other/rsa-truncated.public.base64', 'unknown', undefined],
    ['other/certificates.p7.pem', 'unknown', undefined],
    ['private.encrypted-pkcs8.pem', 'private-key', undefined],
  ] as const;
  it("says why another key can't be used", () => {
    for (const [path, kind, algorithm] of others) {
      const inspection = inspectKeyText(fixture(`keys/${path}`));
      assert.deepEqual([inspection.kind, inspection.algorithm], [kind, algorithm], path);
      assert.equal(inspection.usable, false);
      assert.notEqual(inspection.notes.length, 0);
    }
  });

  it('has nothing to say of what the interface sends', () => {
    assert.deepEqual(inspectKeyText(`${base64}\n`).notes, []);
  });

  it('takes 32 characters for a per-user key', () => {
    for (const [key, notes] of [
      ['peyo30eJy6lEHn03nLgvLWt3PQcP567c', 0],
      ['0123456789abcdef0123456789abcdef', 0],
      ['01234567890123456789012345678901', 0],
      ['AAECAwQFBgcICQoLDA0ODxAREhMUFRYX', 0],
      [`{"'[<%41;:,.|~^_=+-*&#@!?>]'"}\\/`, 0],
      ['peyo30eJy6lEHn03 LgvLWt3PQcP567c', 1],
      ['열쇠'.repeat(16), 1],
    ] as const) {
      const inspection = inspectKeyText(`${key}\n`);
      assert.equal(inspection.kind, 'per-user-key', key);
      assert.equal(inspection.fingerprint, fingerprintOfKey(key));
      assert.equal(inspection.notes.length, notes);
    }
  });

  it('says what another length may come from', () => {
    for (const [text, note] of [
      ['0123456789abcdef'.repeat(4), /64 characters, 32 bytes in hexadecimal/],
      ['AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=', /44 characters, 32 bytes in Base64/],
      ['550e8400-e29b-41d4-a716-446655440000', /36 characters, a UUID with its dashes/],
      ['"peyo30eJy6lEHn03nLgvLWt3PQcP567c"', /34 characters instead of 32/],
    ] as const) {
      const inspection = inspectKeyText(text);
      assert.equal(inspection.kind, 'unknown');
      assert.match(inspection.notes.join('\n'), note);
    }
  });

  it('takes as many bytes as RSA gives for a wrapped key', () => {
    for (const size of [128, 256, 384, 512]) {
      const bytes = Buffer.alloc(size, 0xa7);
      const { kind, notes } = inspectKeyText(bytes.toString('base64'));
      assert.equal(kind, 'wrapped-key');
      assert.match(notes[0] ?? '', /bytes, the size of a ciphertext under RSA/);
      assert.equal(inspectKeyText(bytes.toString('hex')).kind, 'wrapped-key');
    }
  });

  it('notes a modulus that is small, and still takes it', () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const inspection = inspectKeyText(publicKey.export({ type: 'spki', format: 'pem' }).toString());
    assert.deepEqual([inspection.usable, inspection.bits], [true, 1024]);
    assert.deepEqual(inspection.notes, ['1024 bits are fewer than the 2048 that are usual today']);
  });

  it('never gives back any of a private key', () => {
    for (const path of ['private.pkcs8.pem', 'private.pkcs1.base64', 'private.jwk.json']) {
      const text = fixture(`keys/${path}`);
      for (const cut of [text.length, Math.floor(text.length / 2), 100]) {
        const said = JSON.stringify(inspectKeyText(text.slice(0, cut)));
        for (const piece of text.match(/[A-Za-z0-9+/_-]{40}/g) ?? []) {
          assert.equal(said.includes(piece.slice(0, 20)), false);
        }
      }
    }
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.base64String(), fc.uint8Array()), (input) => {
        assert.equal(typeof inspectKeyText(input).kind, 'string');
      }),
    );
  });
});
