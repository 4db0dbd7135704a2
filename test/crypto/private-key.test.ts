import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { openPrivateKey, readPrivateKey } from '../../src/crypto/key-reading.ts';
import { exportPrivateKey, exportPublicKey } from '../../src/crypto/rsa-key.ts';
import { AuthcliError } from '../../src/errors.ts';
import { fc } from '../support/fast-check.ts';
import { fixture, fixtureBytes } from '../support/fixtures.ts';

const pkcs8 = fixture('keys/private.pkcs8.pem');
const base64 = fixture('keys/private.pkcs8.base64');
const publicBase64 = fixture('keys/public.spki.base64');

describe('readPrivateKey', () => {
  const clean: readonly (readonly [what: string, text: string | Uint8Array])[] = [
    ['PKCS #8 in PEM', pkcs8],
    ['PKCS #1 in PEM', fixture('keys/private.pkcs1.pem')],
    ['PKCS #8 in Base64', base64],
    ['PKCS #1 in Base64', fixture('keys/private.pkcs1.base64')],
    ['bytes of PEM', fixtureBytes('keys/private.pkcs8.pem')],
    ['PEM with CRLF and white space around', `\r\n${pkcs8.replaceAll('\n', '\r\n')}\r\n`],
    ['DER', Buffer.from(base64, 'base64')],
    ['a JWK', fixture('keys/private.jwk.json')],
  ];
  for (const [what, text] of clean) {
    it(`takes ${what}`, () => {
      const { key, notes } = readPrivateKey(text);
      assert.deepEqual(notes, []);
      assert.equal(exportPublicKey(key.publicKey), publicBase64);
      assert.equal(exportPrivateKey(key), pkcs8);
      assert.deepEqual([key.modulusBits, key.modulusBytes], [2048, 256]);
    });
  }

  const converted: readonly (readonly [text: string, note: RegExp])[] = [
    [pkcs8.replaceAll('\n', '\\n'), /escapes/],
    [JSON.stringify(pkcs8), /quotes/],
    [Buffer.from(pkcs8).toString('base64'), /Base64 of PEM/],
    [pkcs8.replaceAll('PRIVATE', 'RSA PRIVATE'), /means PKCS #1/],
    [pkcs8.replaceAll('\n', ' '), /no line breaks/],
    [fixture('keys/other/rsa-padded-integers.private.base64'), /zero octets .* 8\.3\.2/],
  ];
  for (const [text, note] of converted) {
    it(`takes other forms with a note on ${note.source}`, () => {
      const { key, notes } = readPrivateKey(text);
      assert.equal(exportPrivateKey(key), pkcs8);
      assert.match(notes.join('\n'), note);
    });
  }

  const refused: readonly (readonly [text: string, reason: string, words: RegExp])[] = [
    [fixture('keys/private.encrypted-pkcs8.pem'), 'encrypted', /encrypted with a passphrase/],
    [fixture('keys/private.encrypted-pkcs1.pem'), 'encrypted', /encrypted with a passphrase/],
    [fixture('keys/private.openssh'), 'malformed', /OpenSSH's own format; ssh-keygen -p -m PEM/],
    [fixture('keys/other/ec.private.pem'), 'algorithm', /an EC \(P-256\) key: an RSA key belongs/],
    [fixture('keys/other/ec.private.sec1.pem'), 'algorithm', /an EC \(P-256\) key/],
    [fixture('keys/other/ed25519.private.pem'), 'algorithm', /an Ed25519 key/],
    [fixture('keys/other/dsa.private.pem'), 'algorithm', /a DSA key/],
    [fixture('keys/other/rsa-pss.private.pem'), 'algorithm', /an RSA-PSS key/],
    [publicBase64, 'not-a-private-key', /a public key: the private half belongs here/],
    [fixture('keys/certificate.pem'), 'not-a-private-key', /a certificate: the private half/],
    [fixture('keys/request.pem'), 'not-a-private-key', /a certificate request: the private/],
    [base64.slice(0, 1000), 'truncated', /DER announces 1217 bytes, 750 bytes are there/],
    [fixture('keys/other/rsa-padded-version.private.base64'), 'malformed', /OpenSSL refuses it/],
    [swapped(), 'malformed', /numbers of the private key do not belong together/],
    [
      JSON.stringify({ ...JSON.parse(fixture('keys/private.jwk.json')), p: undefined, qi: 5 }),
      'malformed',
      /lacks a readable "p" and "qi", which OpenSSL needs/,
    ],
    ['', 'empty', /it is empty/],
    ['a secret!', 'not-a-key', /not a key in any form/],
  ];
  for (const [text, reason, words] of refused) {
    it(`refuses with the reason: ${words.source}`, () => {
      assert.throws(
        () => readPrivateKey(text),
        (error) => {
          assert.ok(error instanceof AuthcliError);
          assert.deepEqual([error.code, error.data.reason], ['usage', reason]);
          assert.match(error.message, /^The private key can't be used: .*\.$/);
          assert.match(error.message, words);
          return true;
        },
      );
    });
  }

  it('never quotes any of the text, however it is damaged', () => {
    const der = Buffer.from(base64, 'base64');
    fc.assert(
      fc.property(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(der);
        damaged[at] = (damaged[at] ?? 0) ^ change;
        assertSilent(damaged);
      }),
      { numRuns: 200 },
    );
  });
});

/** The key with its first prime replaced by another odd number of the same size. */
function swapped(): string {
  const jwk = createPrivateKey(pkcs8).export({ format: 'jwk' });
  return JSON.stringify({ ...jwk, p: jwk.q });
}

function assertSilent(damaged: Buffer): void {
  const text = damaged.toString('base64');
  try {
    readPrivateKey(text);
  } catch (error) {
    assert.ok(error instanceof AuthcliError && error.code === 'usage', String(error));
    const said = `${error.message} ${error.hint} ${JSON.stringify(error.data)}`;
    for (let at = 0; at + 12 < text.length; at += 6) {
      assert.equal(said.includes(text.slice(at, at + 12)), false);
    }
  }
}

describe('openPrivateKey', () => {
  const store = (name: string) => fixtureBytes(`keys/stores/${name}`);
  const reasonOf = (input: string | Uint8Array, password?: string) => {
    try {
      openPrivateKey(input, { password, file: 'k.pem' });
    } catch (error) {
      assert.ok(error instanceof AuthcliError, String(error));
      assert.doesNotMatch(error.message + error.hint, /example|\p{Cc}/u);
      return { reason: error.data.reason, hint: error.hint };
    }
    return assert.fail('it was opened');
  };

  for (const file of [
    'traditional-aes128.pem',
    'pkcs8-scrypt.pem',
    'pkcs8-des3.pem',
    'pkcs8.der',
  ]) {
    it(`opens ${file}, and reports a wrong and a missing password`, () => {
      const { key, notes } = openPrivateKey(store(file), { password: 'example' });
      assert.equal(exportPublicKey(key.publicKey), publicBase64);
      assert.deepEqual(notes, []);
      assert.equal(reasonOf(store(file), 'Example').reason, 'wrong-password');
      assert.equal(reasonOf(store(file)).reason, 'encrypted');
    });
  }

  for (const file of ['traditional-des.pem', 'pkcs8-md5-des.pem', 'pkcs8-rc2.pem']) {
    it(`names the command that converts ${file}, whose cipher OpenSSL has no more`, () => {
      const { reason, hint } = reasonOf(store(file), 'example');
      assert.equal(reason, 'unsupported-encryption');
      assert.match(
        hint,
        /openssl pkey -provider legacy -provider default -in k\.pem -out key\.pem/,
      );
    });
  }

  it('says of a damaged one that its password does not open it', () => {
    const pem = Buffer.from(store('traditional-aes128.pem')).toString();
    const cut = pem.replace(/(?:\n.*){4}\n-----END/, '\n-----END');
    assert.equal(reasonOf(cut, 'example').reason, 'wrong-password');
    const unknown = pem.replace('AES-128-CBC', '\u001b[31m');
    assert.equal(reasonOf(unknown, 'example').reason, 'wrong-password');
    const without = pem.replace(/DEK-Info.*\n/, '');
    assert.equal(reasonOf(without, 'example').reason, 'malformed');
  });

  const stores: readonly (readonly [what: string, bytes: Uint8Array, line: string])[] = [
    ['PKCS #12', store('openssl.p12'), 'openssl pkcs12 -in k.pem '],
    ['JKS', store('java.jks'), 'keytool -importkeystore -srckeystore k.pem -srcstoretype JKS '],
    [
      'JCEKS',
      store('java.jceks'),
      'keytool -importkeystore -srckeystore k.pem -srcstoretype JCEKS ',
    ],
    ['BKS', Buffer.from(`0000000200000014${'07'.repeat(40)}`, 'hex'), '-srcstoretype BKS '],
  ];
  for (const [what, bytes, line] of stores) {
    it(`names a ${what} key store, with the command that takes the key out`, () => {
      const { reason, hint } = reasonOf(bytes, 'example');
      assert.equal(reason, 'key-store');
      assert.ok(hint.includes(line), hint);
    });
  }
});
