import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Redactor, redacted, reveal } from '../../src/reports/redact.ts';
import { fc } from '../support/fast-check.ts';

const key = 'peyo30eJy6/EHn03nLgvLWt3PQ+P567"';

function redactorOf(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor;
}

describe('Redactor', () => {
  const forms: readonly (readonly [string, string])[] = [
    ['plain', key],
    ['in JSON', JSON.stringify({ key })],
    ['in JSON with escaped slashes', JSON.stringify({ key }).replaceAll('/', '\\/')],
    ['URL-encoded', encodeURIComponent(key)],
    ['in hexadecimal', Buffer.from(key).toString('hex')],
    ['in capital hexadecimal', Buffer.from(key).toString('hex').toUpperCase()],
    ['in Base64', Buffer.from(key).toString('base64')],
    ['in Base64url', Buffer.from(key).toString('base64url')],
    ['in Base64 at offset 1', Buffer.from(`x${key}y`).toString('base64')],
    ['in Base64 at offset 2', Buffer.from(`xx${key}yy`).toString('base64')],
    ['cut short', `${key.slice(0, 20)}…`],
  ];

  for (const [name, text] of forms) {
    it(`hides a secret ${name}`, () => {
      const shown = redactorOf(key).text(`before ${text} after`);
      assert.match(shown, /\[redacted\]/);
      assert.doesNotMatch(shown, /peyo|cGV5bzMw|7065796f/i);
      assert.match(shown, /^before .* after$/);
    });
  }

  it('hides text outside ASCII that JSON writes as \\u', () => {
    assert.equal(
      redactorOf('남궁별빛나').text('"\\ub0a8\\uad81\\ubcc4\\ube5b\\ub098"'),
      `"${redacted}"`,
    );
  });

  it('hides a private key however its lines are joined', () => {
    const body = Buffer.alloc(60, 'k').toString('base64');
    const pem = `-----BEGIN PRIVATE KEY-----\n${body.slice(0, 64)}\n${body.slice(64)}\n-----END PRIVATE KEY-----\n`;
    const redactor = redactorOf(pem);
    assert.equal(redactor.text(body), redacted);
    assert.doesNotMatch(redactor.text(JSON.stringify(pem)), /a2tr/);
  });

  it('hides a short secret only where it stands alone', () => {
    const redactor = redactorOf('1234');
    assert.equal(redactor.text('port 12345, passcode 1234.'), `port 12345, passcode ${redacted}.`);
  });

  it('leaves property names of authcli alone, and hides long secrets in those of a peer', () => {
    const redactor = redactorOf('name', 'longer-secret');
    assert.deepEqual(redactor.json({ name: 'name', 'longer-secret': 1 }), {
      name: redacted,
      [redacted]: 1,
    });
  });

  it('shows what the command is for where it is put, and only there', () => {
    const redactor = redactorOf(key);
    assert.deepEqual(redactor.json({ key: reveal(key), other: [key] }), { key, other: [redacted] });
  });

  it('never hides a name that is public in this run', () => {
    const redactor = redactorOf('alice');
    redactor.show('alice');
    assert.equal(redactor.text('alice'), 'alice');
  });

  it('leaves text without a secret as it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes('…'));
        assert.equal(redactorOf(key, 'another-secret').text(text), text);
      }),
    );
  });

  it('hides any secret wherever it stands', () => {
    const secret = fc
      .string({ minLength: 6 })
      .filter((text) => text.trim() === text && !redacted.includes(text));
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (hidden, before, after) => {
        const shown = redactorOf(hidden).text(`${before}${hidden}${after}`);
        assert.ok(
          !shown.replaceAll(redacted, '').includes(hidden) || `${before}${after}`.includes(hidden),
        );
      }),
    );
  });
});
