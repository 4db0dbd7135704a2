import assert from 'node:assert/strict';
import { createHash, createPublicKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { readPublicKey } from '../../src/crypto/key-reading.ts';
import { exportPublicKey } from '../../src/crypto/rsa-key.ts';
import { AuthcliError } from '../../src/errors.ts';
import { fc } from '../support/fast-check.ts';
import { fixture, fixtureBytes } from '../support/fixtures.ts';

const base64 = fixture('keys/public.spki.base64');
const pem = fixture('keys/public.spki.pem');
const jwk = fixture('keys/public.jwk.json');
const lines = pem.trim().split('\n');
const body = lines.slice(1, -1).join('');

function utf16(text: string, bigEndian = false): Uint8Array {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return bigEndian ? bytes.swap16() : bytes;
}

describe('readPublicKey', () => {
  const clean: readonly (readonly [what: string, text: string | Uint8Array, encoding: string])[] = [
    ['what the interface sends', base64, 'base64'],
    ['the same in bytes', fixtureBytes('keys/public.spki.base64'), 'base64'],
    ['white space around', `\t \r\n${base64}\r\n\n`, 'base64'],
    ['PEM', pem, 'pem'],
    ['PEM with CRLF', pem.replaceAll('\n', '\r\n'), 'pem'],
    ['PEM with white space around', `\n\n  ${pem}\n`, 'pem'],
    ['PEM with one long line', `${lines[0]}\n${body}\n${lines.at(-1)}`, 'pem'],
  ];
  for (const [what, text, encoding] of clean) {
    it(`takes ${what} without a note`, () => {
      const reading = readPublicKey(text);
      assert.deepEqual([reading.encoding, reading.notes], [encoding, []]);
      assert.equal(exportPublicKey(reading.key), base64);
    });
  }

  const converted: readonly (readonly [string | Uint8Array, encoding: string, note: RegExp])[] = [
    [fixtureBytes('keys/public.spki.der'), 'der', /DER file/],
    [fixture('keys/public.spki.base64-lines'), 'base64', /line breaks/],
    [fixture('keys/public.spki.base64url'), 'base64url', /Base64url/],
    [fixture('keys/public.spki.double-base64'), 'double-base64', /Base64 of Base64/],
    [fixture('keys/public.spki.pem-base64'), 'double-base64', /Base64 of PEM/],
    [fixture('keys/public.spki.hex'), 'hex', /hexadecimal/],
    [`0x${fixture('keys/public.spki.hex').toUpperCase()}`, 'hex', /hexadecimal/],
    [fixture('keys/public.spki.percent'), 'base64', /percent-encoded/],
    [fixture('keys/public.pkcs1.pem'), 'pem', /PKCS #1/],
    [fixture('keys/public.pkcs1.base64'), 'base64', /PKCS #1/],
    [jwk, 'jwk', /JWK/],
    [JSON.stringify({ keys: [{ kty: 'oct', k: 'AA' }, JSON.parse(jwk)] }), 'jwk', /2 keys/],
    [JSON.stringify({ public_key: JSON.parse(jwk) }), 'jwk', /JWK/],
    [fixture('keys/public.openssh'), 'openssh', /OpenSSH/],
    [`no-pty,command="x" ${fixture('keys/public.openssh')}`, 'openssh', /OpenSSH/],
    [fixture('keys/public.openssh').split(' ')[1] ?? '', 'base64', /OpenSSH/],
    [fixture('keys/public.ssh2'), 'openssh', /OpenSSH/],
    [fixture('keys/public.xml'), 'xml', /XML/],
    [fixture('keys/certificate.pem'), 'pem', /certificate/],
    [fixture('keys/request.pem'), 'pem', /certificate request/],
    [`${fixture('keys/certificate.pem')}${fixture('keys/certificate.pem')}`, 'pem', /2 PEM blocks/],
    [fixture('keys/other/rsa-without-null.public.base64'), 'base64', /NULL/],
    [fixture('keys/other/rsa-ber-length.public.base64'), 'base64', /BER/],
    [fixture('keys/other/rsa-padded-modulus.public.base64'), 'base64', /zero octets .* 8\.3\.2/],
    [fixture('keys/other/rsa-padded-exponent.public.base64'), 'base64', /zero octets .* 8\.3\.2/],
    [`"${base64}"`, 'base64', /quotes/],
    [`'${base64}'`, 'base64', /quotes/],
    [`"${base64}",`, 'base64', /quotes/],
    [base64.replaceAll('/', '\\/'), 'base64', /escapes/],
    [JSON.stringify({ public_key: base64 }), 'base64', /field "public_key"/],
    [JSON.stringify({ used_type: '1', public_key: pem }), 'pem', /field "public_key"/],
    [JSON.stringify(pem), 'pem', /quotes/],
    [pem.replaceAll('\n', '\\n'), 'pem', /escapes/],
    [`public_key=${encodeURIComponent(base64)}`, 'base64', /percent-encoded/],
    [`public_key: ${base64}`, 'base64', /"public_key" is before/],
    [base64.replaceAll('+', ' '), 'base64', /spaces where "\+" belongs/],
    [`\ufeff${base64}`, 'base64', /byte order mark/],
    [`\ufeff${pem}`, 'pem', /byte order mark/],
    [utf16(pem), 'pem', /UTF-16/],
    [utf16(base64, true), 'base64', /UTF-16/],
    [Buffer.from(utf16(pem)).toString('utf8'), 'pem', /UTF-16/],
    [lines.join(''), 'pem', /no line breaks/],
    [lines.join(' '), 'pem', /no line breaks/],
    [lines.slice(0, -1).join('\n'), 'pem', /footer .* missing/],
    [pem.replace('-----END PUBLIC', '-----END RSA PUBLIC'), 'pem', /PEM footer is/],
    [pem.replaceAll('-----', '----'), 'pem', /five dashes/],
    [pem.replaceAll(' PUBLIC', ' RSA PUBLIC'), 'pem', /label "RSA PUBLIC KEY" means PKCS #1/],
    [pem.replaceAll('PUBLIC KEY', 'CERTIFICATE'), 'pem', /label "CERTIFICATE" means X.509/],
    [pem.replaceAll('PUBLIC KEY', 'SOME KEY'), 'pem', /label "SOME KEY" is not used/],
  ];
  for (const [text, encoding, note] of converted) {
    it(`converts ${encoding} with a note on ${note.source}`, () => {
      const reading = readPublicKey(text);
      assert.equal(reading.encoding, encoding);
      assert.match(reading.notes.join('\n'), note);
      assert.equal(exportPublicKey(reading.key), base64);
    });
  }

  const other = (name: string) => fixture(`keys/other/${name}`);
  const refused: readonly (readonly [text: string | Uint8Array, reason: string, words: RegExp])[] =
    [
      [other('ec.public.base64'), 'algorithm', /an EC \(P-256\) key/],
      [other('ed25519.public.base64'), 'algorithm', /an Ed25519 key/],
      [other('ed25519.public.openssh'), 'algorithm', /an Ed25519 key/],
      [other('x25519.public.base64'), 'algorithm', /an X25519 key/],
      [other('ed448.public.base64'), 'algorithm', /an Ed448 key/],
      [other('x448.public.base64'), 'algorithm', /an X448 key/],
      [other('dsa.public.base64'), 'algorithm', /a DSA key/],
      [other('rsa-pss.public.base64'), 'algorithm', /an RSA-PSS key, which is bound to signatures/],
      ['{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}', 'algorithm', /an EC \(P-384\) key/],
      ['{"kty":"OKP","crv":"Ed25519","x":"AA"}', 'algorithm', /an Ed25519 key/],
      ['{"kty":"EC","crv":"\\u001b[31m"}', 'algorithm', /an EC key/],
      [other('rsa-exponent-1.public.base64'), 'unsound', /the exponent 1, so that the ciphertext/],
      [other('rsa-exponent-0.public.base64'), 'unsound', /even exponent 0/],
      [other('rsa-exponent-even.public.base64'), 'unsound', /even exponent 65536/],
      [other('rsa-even-modulus.public.base64'), 'unsound', /even modulus/],
      [other('rsa-336-bits.public.base64'), 'unsound', /336 bits, too short for a key of 32/],
      [other('rsa-negative-modulus.public.base64'), 'malformed', /negative/],
      [
        other('rsa-truncated.public.base64'),
        'truncated',
        /294 bytes, 250 bytes are there, 44 missing/,
      ],
      [base64.slice(0, 201), 'truncated', /294 bytes, 150 bytes are there, 144 missing/],
      [lines.slice(0, 4).join('\n'), 'truncated', /294 bytes, 144 bytes are there/],
      [other('rsa-trailing-bytes.public.base64'), 'trailing-bytes', /3 bytes are left over/],
      [fixture('keys/private.pkcs8.pem'), 'private-key', /a private key: the public half belongs/],
      [fixture('keys/private.pkcs8.base64').slice(0, 800), 'private-key', /a truncated one/],
      [fixture('keys/private.openssh'), 'private-key', /a private key/],
      [fixture('keys/private.jwk.json'), 'private-key', /a private key/],
      ['PuTTY-User-Key-File-3: ssh-rsa\n', 'private-key', /a private key/],
      [`${pem}${fixture('keys/private.pkcs8.pem')}`, 'private-key', /a private key/],
      [other('certificates.p7.pem'), 'not-a-key', /a PKCS #7 container/],
      [other('certificates.p12.base64'), 'key-store', /a PKCS #12 key store/],
      ['', 'empty', /it is empty/],
      [' \n', 'empty', /it is empty/],
      ['this is not a key', 'not-a-key', /not a key in any form/],
      ['{"public_key":5}', 'not-a-key', /not a key in any form/],
      ['AAECAwQFBgcICQ==', 'not-a-key', /read as Base64 it is 10 bytes that are not a key/],
      [
        '-----BEGIN PUBLIC KEY-----\n!!\n-----END PUBLIC KEY-----',
        'malformed',
        /body is not Base64/,
      ],
      [
        Buffer.from(fixtureBytes('keys/public.spki.der')).toString('utf8'),
        'not-a-key',
        /read as text/,
      ],
      [
        '-----BEGIN DH PARAMETERS-----\nMAYCAQUCAQI=\n-----END DH PARAMETERS-----',
        'not-a-key',
        /PEM of parameters \(DH PARAMETERS\)/,
      ],
      ['MAIwAA==', 'not-a-key', /DER, but no key/],
      ['x'.repeat(300_000), 'too-long', /300000 characters long/],
    ];
  for (const [text, reason, words] of refused) {
    it(`refuses with the reason: ${words.source}`, () => {
      assert.throws(
        () => readPublicKey(text),
        (error) => {
          assert.ok(error instanceof AuthcliError);
          assert.equal(error.code, 'usage');
          assert.equal(error.data.reason, reason);
          assert.match(error.message, /^The public key can't be used: .*\.$/);
          assert.match(error.message, words);
          assert.match(error.hint, /SubjectPublicKeyInfo/);
          return true;
        },
      );
    });
  }

  it('knows the key as Node does', () => {
    const { key } = readPublicKey(base64);
    const node = createPublicKey(pem);
    assert.equal(key.keyObject.equals(node), true);
    assert.deepEqual([key.modulusBits, key.modulusBytes, key.publicExponent], [2048, 256, 65537n]);
    const spki = node.export({ type: 'spki', format: 'der' });
    assert.deepEqual(Buffer.from(key.spki), spki);
    const digest = createHash('sha256').update(spki).digest('hex');
    assert.equal(key.fingerprint, `sha256:${digest.slice(0, 12)}`);
  });

  it('never throws anything but a usage error, whatever the text', () => {
    const pieces = fc.constantFrom(
      base64,
      pem,
      jwk,
      body,
      '-----BEGIN ',
      '0x',
      '{',
      '"',
      '\0',
      '%2B',
    );
    const text = fc.array(fc.oneof(pieces, fc.string(), fc.base64String()), { maxLength: 4 });
    const mangled = fc.tuple(text, fc.nat(), fc.nat(20)).map(([parts, at, length]) => {
      const whole = parts.join('');
      const cut = at % (whole.length + 1);
      return whole.slice(0, cut) + whole.slice(cut + length);
    });
    fc.assert(fc.property(fc.oneof(mangled, fc.uint8Array({ maxLength: 400 })), isKeyOrUsage));
  });

  it('is done soon with any text of many megabytes, or of the longest kind it inspects', () => {
    for (const character of ['=', ' ', '\n', '-', 'A', '{', '[', '\\/', '%2B', '"']) {
      isKeyOrUsage(character.repeat(10_000_000 / character.length));
      isKeyOrUsage(`${character.repeat(130_000 / character.length)}x`);
      isKeyOrUsage(`-----BEGIN ${character.repeat(130_000 / character.length)}x`);
    }
  });
});

function isKeyOrUsage(text: string | Uint8Array): void {
  try {
    readPublicKey(text);
  } catch (error) {
    assert.ok(error instanceof AuthcliError && error.code === 'usage', String(error));
  }
}
