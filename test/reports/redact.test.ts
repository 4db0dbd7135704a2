import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
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
    ['in HTML', key.replace('"', '&quot;').replace('/', '&#47;').replace('+', '&#x2b;')],
    ['in capital hexadecimal', Buffer.from(key).toString('hex').toUpperCase()],
    [
      'in hexadecimal with colons',
      Buffer.from(key)
        .toString('hex')
        .replace(/..(?=.)/g, '$&:'),
    ],
    ['in Base64url', Buffer.from(key).toString('base64url')],
    ['in Base64 at offset 1', Buffer.from(`x${key}y`).toString('base64')],
    ['in Base64 at offset 2', Buffer.from(`xx${key}yy`).toString('base64')],
    ['in lines', key.replaceAll(/.{8}/g, '$&\n')],
    ['cut short', `${key.slice(0, 20)}…`],
  ];
  for (const [name, text] of forms) {
    it(`hides a secret ${name}`, () => {
      const shown = redactorOf(key).text(`before ${text} after`);
      assert.match(shown, /^before .*\[redacted\].* after$/s);
      assert.doesNotMatch(shown, /peyo|cG\n?V5bzMw|70:?65:?79:?6f/i);
    });
  }

  it('hides text outside ASCII that JSON writes as \\u', () => {
    const shown = redactorOf('남궁별빛나').text('"\\ub0a8\\uad81\\ubcc4\\ube5b\\ub098"');
    assert.equal(shown, `"${redacted}"`);
  });

  it('hides a private key however its lines are joined, and in DER, and not its public key', () => {
    const pem = readFileSync('fixtures/keys/pool/2048-01.pem', 'utf8');
    const redactor = redactorOf(pem);
    const body = pem.replace(/-----[A-Z ]+-----|\s/g, '');
    assert.equal(redactor.text(body).replaceAll('=', ''), redacted);
    assert.doesNotMatch(redactor.text(JSON.stringify(pem)), /[A-Za-z0-9+]{30}/);
    const spki = createPublicKey(pem).export({ type: 'spki', format: 'der' });
    for (const encoding of ['base64', 'base64url', 'hex'] as const) {
      const [open, der] = [spki.toString(encoding), Buffer.from(body, 'base64').toString(encoding)];
      assert.equal(redactor.text(open), open);
      assert.equal(redactor.text(der).replaceAll('=', ''), redacted, encoding);
    }
  });

  it('hides a short secret only as a whole word', () => {
    const redactor = redactorOf('1234');
    assert.equal(redactor.text('port 12345, passcode 1234.'), `port 12345, passcode ${redacted}.`);
    assert.equal(redactorOf('p o r t').text('a report'), 'a report');
  });

  it('leaves property names of authcli alone, and hides long secrets in those of a peer', () => {
    const shown = redactorOf('name', 'longer-secret').json({ name: 'name', 'longer-secret': 1 });
    assert.deepEqual(shown, { name: redacted, [redacted]: 1 });
  });

  it('shows what the command is for where it is put, and only there', () => {
    const shown = redactorOf(key).json({ key: reveal(key), other: [key] });
    assert.deepEqual(shown, { key, other: [redacted] });
  });

  it('shows a user code that is also an attribute, but none that equals a secret', () => {
    for (const isShownFirst of [true, false]) {
      const redactor = redactorOf('secret-passcode');
      if (isShownFirst) redactor.show('alice@example.com');
      for (const text of ['alice@example.com', 'Alice Liddell']) redactor.addUserInfo(text);
      for (const text of ['alice@example.com', 'secret-passcode']) redactor.show(text);
      const shown = redactor.text('alice@example.com, Alice Liddell, secret-passcode');
      assert.equal(shown, `alice@example.com, ${redacted}, ${redacted}`);
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
    const text =
      '✗ signin/content-type (must)\nauthcli verify --signin --secret-key token/code-exact';
    for (const word of ['signin', 'content', 'secret', 'code', 'type']) {
      const redactor = redactorOf(word);
      assert.equal(redactor.text(text), text);
      for (const place of ['the X', '--secret-key=X', '--secret-key X', '/X/x', 'x/X'])
        assert.equal(redactor.text(place.replace('X', word)), place.replace('X', redacted));
    }
  });

  it('hides what the user gave, except where a field of its own has one of its own words', () => {
    const shown = redactorOf('match').json({ passcode: 'match', message: 'no match' });
    assert.deepEqual(shown, { passcode: 'match', message: `no ${redacted}` });
  });

  it('hides the values of secret fields, also deep inside other texts', () => {
    const redactor = new Redactor();
    const body = JSON.stringify({ acs_token: 'undecryptable', code: '0000' });
    for (const text of [body, JSON.stringify(body), encodeURIComponent(body)])
      assert.doesNotMatch(redactor.text(text), /undecryptable/);
    const query = redactor.text('/cb?ptn_token=any-text&x=1');
    assert.equal(query, `/cb?ptn_token=${redacted}&x=1`);
    const numbers = redactor.text('{"secret_key": 12345678, "code": 12345678}');
    assert.equal(numbers, `{"secret_key": ${redacted}, "code": 12345678}`);
    const acs_token = [['x'], { value: 'y', size: 1, empty: '' }];
    const shown = redactor.json({ secret_key: 'x', json: { ptn_token: 7, acs_token } });
    const hidden = [[redacted], { value: redacted, size: redacted, empty: '' }];
    const json = { ptn_token: redacted, acs_token: hidden };
    assert.deepEqual(shown, { secret_key: redacted, json });
  });

  it('hides a phone number that a peer sends as a number', () => {
    const shown = redactorOf('821012345678').json({ json: { a: 821012345678, b: 7 } });
    assert.deepEqual(shown, { json: { a: redacted, b: 7 } });
  });

  it('hides a secret that the end of the shown part cuts', () => {
    const text = `${'x'.repeat(100)}${key}`;
    for (let end = 101; end < text.length; end += 1)
      assert.equal(redactorOf(key).head(text, end), `${'x'.repeat(100)}${redacted}`);
  });

  it('hides a secret anywhere in a long text', () => {
    const digits = Buffer.from(key).toString('base64url');
    for (const at of [262_130, 262_144]) {
      const [before, between] = ['.'.repeat(at), 'A'.repeat(50_000)];
      const shown = redactorOf(key).text(`${before} ${key} ${between}.${digits}`);
      assert.ok(shown === `${before} ${redacted} ${between}.${redacted}`, shown.slice(-60));
    }
  });

  it('forgets the oldest secrets of peers, not the latest', () => {
    const redactor = new Redactor();
    const tokens = Array.from({ length: 45_000 }, (_, index) => `token-no-${index}`);
    for (const token of tokens) redactor.addFromPeer(token);
    for (const copy of [redactor, redactor.copy()]) {
      assert.equal(copy.text(tokens.at(-20_000) ?? ''), redacted);
      assert.equal(copy.text('token-no-1 '), 'token-no-1 ');
    }
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
        const isLeft = shown.replaceAll(redacted, '').includes(hidden);
        assert.ok(!isLeft || `${before}${after}`.includes(hidden));
      }),
    );
  });
});

describe('containsSecret', () => {
  const secret = 'a-secret-of-the-tests/1';
  for (const [text, isFound] of [
    [`log: ${secret}`, true],
    [`secret_key=${secret}`, true],
    [`Basic ${Buffer.from(`app:${secret}`).toString('base64')}`, true],
    [`https://log.example/?key=${encodeURIComponent(secret)}`, true],
    ['    token = call("/process/token", ptn_token=ptn_token)', false],
    ['{"secret_key":"another one"}', false],
  ] as const) {
    it(`finds ${isFound ? 'it' : 'none'} in ${text}`, () => {
      assert.equal(containsSecret(text, Secret.text(secret)), isFound);
    });
  }
});
