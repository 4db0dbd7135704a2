import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { encodeLike } from '../../src/relay/text-form.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const draw = seededBytes('text form');
const [one, other] = [draw(256), draw(256)];

/** Every form, made with Node's own functions. */
const forms: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
  Base64: (bytes) => Buffer.from(bytes).toString('base64'),
  'Base64 without padding': (bytes) => Buffer.from(bytes).toString('base64').replace(/=+$/, ''),
  Base64url: (bytes) => Buffer.from(bytes).toString('base64url'),
  'padded Base64url': (bytes) => `${Buffer.from(bytes).toString('base64url')}==`,
  hexadecimal: (bytes) => Buffer.from(bytes).toString('hex'),
  'capital hexadecimal': (bytes) => Buffer.from(bytes).toString('hex').toUpperCase(),
  'Base64 in lines of MIME': (bytes) =>
    Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\r\n'),
  'Base64 with a line break at its end': (bytes) => `${Buffer.from(bytes).toString('base64')}\n`,
  'Base64 after a blank': (bytes) => ` ${Buffer.from(bytes).toString('base64')}`,
};

describe('bytes written in the form of another text', () => {
  for (const [name, form] of Object.entries(forms)) {
    it(`are ${name}`, () => {
      assert.equal(encodeLike(form(one), other), form(other));
    });
  }

  for (const type of ['spki', 'pkcs1'] as const) {
    it(`are PEM of ${type}, as OpenSSL writes it`, () => {
      const [first, second] = [1, 2].map(
        () => generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey,
      );
      assert.ok(first && second);
      const pem = first.export({ type, format: 'pem' }).toString();
      const der = second.export({ type, format: 'der' });
      assert.equal(encodeLike(pem, der), second.export({ type, format: 'pem' }).toString());
      assert.equal(
        encodeLike(pem.replaceAll('\n', '\r\n').trimEnd(), der),
        second.export({ type, format: 'pem' }).toString().replaceAll('\n', '\r\n').trimEnd(),
      );
    });
  }

  it("are refused where they don't fit, and where the text has no such form", () => {
    assert.equal(encodeLike(Buffer.from(one).toString('base64'), draw(128)), undefined);
    assert.equal(encodeLike('not an encoding!', draw(12)), undefined);
    assert.equal(encodeLike('', draw(12)), undefined);
  });
});
