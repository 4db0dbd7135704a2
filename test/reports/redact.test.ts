import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import { containsSecret, Redactor, redacted, reveal } from '../../src/reports/redact.ts';
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

  it('hides a private key in PEM and in DER, and not its public key', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const redactor = redactorOf(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    for (const encoding of ['base64', 'base64url', 'hex'] as const) {
      const spki = publicKey.export({ type: 'spki', format: 'der' }).toString(encoding);
      assert.equal(redactor.text(spki), spki);
      const der = privateKey.export({ type: 'pkcs8', format: 'der' }).toString(encoding);
      assert.equal(redactor.text(der).replaceAll('=', ''), redacted, encoding);
    }
  });

  it('hides a short secret only as a whole word', () => {
    const redactor = redactorOf('1234');
    assert.equal(redactor.text('port 12345, passcode 1234.'), `port 12345, passcode ${redacted}.`);
    assert.equal(redactorOf('p o r t').text('a report'), 'a report');
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

  it('shows a user code that is also an attribute of the user, but no code that equals a secret', () => {
    for (const isShownFirst of [true, false]) {
      const redactor = redactorOf('secret-passcode');
      if (isShownFirst) redactor.show('alice@example.com');
      redactor.addUserInfo('alice@example.com');
      redactor.addUserInfo('Alice Liddell');
      redactor.show('alice@example.com');
      redactor.show('secret-passcode');
      assert.equal(
        redactor.text('alice@example.com, Alice Liddell, secret-passcode'),
        `alice@example.com, ${redacted}, ${redacted}`,
      );
    }
  });

  it('keeps words and fields of its own, whatever a peer calls a secret', () => {
    const redactor = new Redactor();
    for (const word of ['undecryptable', 'signin', 'http_status', 'latency_ms', 'tls'])
      redactor.addFromPeer(word);
    const document = { command: 'signin', latency_ms: { p50: 1 }, passcode: 'undecryptable' };
    assert.deepEqual(redactor.json(document), document);
    assert.equal(redactor.text('the passcode is undecryptable'), 'the passcode is undecryptable');
  });

  it('keeps the ids of checks and the flags that contain a secret of the same word', () => {
    for (const word of ['signin', 'content', 'token', 'secret', 'code', 'type']) {
      const redactor = redactorOf(word);
      const text =
        '✗ signin/content-type (must)\n2 failed: signin/secrets-not-shown.\nauthcli verify --signin --secret-key token/code-exact';
      assert.equal(redactor.text(text), text);
      for (const other of [
        `the ${word}`,
        `--secret-key=${word}`,
        `--secret-key ${word}`,
        `/${word}/x`,
        `x/${word}`,
      ])
        assert.equal(redactor.text(other), other.replace(new RegExp(`${word}(?!-key)`), redacted));
    }
  });

  it('hides what the user gave, except where a field of its own has one of its own words', () => {
    const redactor = redactorOf('match');
    assert.deepEqual(redactor.json({ passcode: 'match', message: 'no match' }), {
      passcode: 'match',
      message: `no ${redacted}`,
    });
  });

  it('hides the values of secret fields, also deep inside other texts', () => {
    const body = JSON.stringify({ acs_token: 'undecryptable', code: '0000' });
    for (const text of [body, JSON.stringify(body), encodeURIComponent(body)])
      assert.doesNotMatch(new Redactor().text(text), /undecryptable/);
    assert.equal(
      new Redactor().text('/cb?ptn_token=any-text&x=1'),
      `/cb?ptn_token=${redacted}&x=1`,
    );
    assert.deepEqual(new Redactor().json({ json: { secret_key: 'x' } }), {
      json: { secret_key: redacted },
    });
    assert.equal(
      new Redactor().text('{"secret_key": 12345678, "code": 12345678}'),
      `{"secret_key": ${redacted}, "code": 12345678}`,
    );
    assert.deepEqual(
      new Redactor().json({ json: { ptn_token: 7, acs_token: [['x'], { value: 'y', size: 1 }] } }),
      {
        json: {
          ptn_token: redacted,
          acs_token: [[redacted], { value: redacted, size: redacted }],
        },
      },
    );
  });

  it('hides a secret that the end of the shown part cuts', () => {
    const text = `${'x'.repeat(100)}${key}`;
    for (let end = 101; end < text.length; end += 1)
      assert.equal(redactorOf(key).head(text, end), `${'x'.repeat(100)}${redacted}`);
  });

  it('hides a secret anywhere in a long text', () => {
    const redactor = redactorOf(key);
    const digits = Buffer.from(key).toString('base64url');
    for (const at of [262_130, 262_144, 524_280]) {
      const [before, between] = ['x'.repeat(at), 'A'.repeat(300_000)];
      const shown = redactor.text(`${before} ${key} ${between}.${digits}`);
      assert.ok(shown === `${before} ${redacted} ${between}.${redacted}`, shown.slice(-60));
    }
    const long = 'A'.repeat(20_000_000);
    assert.ok(redactor.text(long) === long);
  });

  it('forgets the oldest secrets of peers, not the latest', () => {
    const redactor = new Redactor();
    const tokens = Array.from({ length: 45_000 }, (_, index) => `token-no-${index}`);
    for (const token of tokens) redactor.addFromPeer(token);
    assert.equal(redactor.text(tokens.at(-20_000) ?? ''), redacted);
    assert.equal(redactor.text('token-no-1 '), 'token-no-1 ');
  });

  it('leaves text without a secret as it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes('…'));
        assert.equal(redactorOf(key, 'another-secret').text(text), text);
      }),
    );
  });

  it('hides any secret wherever it is', () => {
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

const ownSecret = 'a-secret-of-the-tests/1';

describe('containsSecret', () => {
  for (const text of [
    `log: ${ownSecret}`,
    `secret_key=${ownSecret}`,
    JSON.stringify({ secret_key: ownSecret }),
    `Basic ${Buffer.from(`app:${ownSecret}`).toString('base64')}`,
    `key ${Buffer.from(ownSecret).toString('hex')}`,
    `https://log.example/?key=${encodeURIComponent(ownSecret)}`,
  ]) {
    it(`finds it in ${text}`, () => assert.ok(containsSecret(text, Secret.text(ownSecret))));
  }

  for (const text of [
    '    token = call("/process/token", ptn_token=ptn_token)',
    '{"secret_key":"another one"}',
    'Error: fetch failed',
  ]) {
    it(`finds none in ${text}`, () => assert.ok(!containsSecret(text, Secret.text(ownSecret))));
  }
});
