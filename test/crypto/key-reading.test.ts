import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPrivateKey, readPublicKey } from '../../src/crypto/key-reading.ts';
import { findUnsoundness } from '../../src/crypto/key-structure.ts';
import { exportPrivateKey, exportPublicKey } from '../../src/crypto/rsa-key.ts';
import { AuthcliError } from '../../src/errors.ts';
import { fixture, fixtureBytes, fixtureRows } from '../support/fixtures.ts';
import { refusalOf } from '../support/refusal.ts';

const base64 = fixture('keys/public.spki.base64');
const pem = fixture('keys/public.spki.pem');
const pkcs8 = fixture('keys/private.pkcs8.pem');
const privateBase64 = fixture('keys/private.pkcs8.base64');
const publicJwk = fixture('keys/public.jwk.json');
const lines = pem.trim().split('\n');

type Row = readonly [text: string | Uint8Array, result: string, words: RegExp];

/** Files of `keys/` that are read, or refused, with the form or the reason and what is said of it. */
const filed = (name: string): readonly Row[] =>
  fixtureRows<readonly [file: string, result: string, words: string]>(`keys/${name}.jsonl`).map(
    ([file, result, words]) => [fixtureBytes(`keys/${file}`), result, new RegExp(words)],
  );

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

function pemOf(label: string, text: string): string {
  return `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----`;
}

describe('readPublicKey', () => {
  const oneLine = `${lines[0]}\n${lines.slice(1, -1).join('')}\n${lines.at(-1)}`;
  it('takes Base64 and PEM without a note', () => {
    for (const text of [base64, `\t \r\n${base64}\r\n\n`, pem, `\n\n  ${pem}\n`, oneLine]) {
      const { notes, encoding, key } = readPublicKey(text);
      const expected = [[], text.includes('BEGIN') ? 'pem' : 'base64', base64];
      assert.deepEqual([notes, encoding, exportPublicKey(key)], expected);
    }
  });

  const converted: readonly Row[] = [
    ...filed('readings'),
    [publicJwk, 'jwk', /JWK/],
    [JSON.stringify({ keys: [{ kty: 'oct', k: 'AA' }, JSON.parse(publicJwk)] }), 'jwk', /2 keys/],
    [`${fixture('keys/certificate.pem')}${fixture('keys/certificate.pem')}`, 'pem', /2 PEM blocks/],
    [`"${base64}"`, 'base64', /quotes/],
    [base64.replaceAll('/', '\\/'), 'base64', /escapes/],
    [JSON.stringify({ public_key: base64 }), 'base64', /field "public_key"/],
    [`public_key=${encodeURIComponent(base64)}`, 'base64', /percent-encoded/],
    [`public_key: ${base64}`, 'base64', /"public_key" is before/],
    [base64.replaceAll('+', ' '), 'base64', /spaces where "\+" belongs/],
    [`\ufeff${base64}`, 'base64', /byte order mark/],
    [utf16(pem), 'pem', /UTF-16/],
    [lines.join(''), 'pem', /no line breaks/],
    [lines.slice(0, -1).join('\n'), 'pem', /footer .* missing/],
    [pem.replace('-----END PUBLIC', '-----END RSA PUBLIC'), 'pem', /PEM footer is not exactly/],
    [pem.replaceAll('-----', '----'), 'pem', /header is not exactly/],
    [pem.replace('BEGIN PUBLIC KEY', 'BEGIN Public Key'), 'pem', /header is not exactly/],
    [pem.replaceAll(' PUBLIC', ' RSA PUBLIC'), 'pem', /label "RSA PUBLIC KEY" means PKCS #1/],
    [pem.replaceAll('PUBLIC KEY', 'CERTIFICATE'), 'pem', /label "CERTIFICATE" means X.509/],
  ];
  it('converts every other form with a note', () => {
    for (const [text, encoding, note] of converted) {
      const reading = readPublicKey(text);
      assert.equal(reading.encoding, encoding, note.source);
      assert.match(reading.notes.join('\n'), note);
      assert.equal(exportPublicKey(reading.key), base64);
    }
  });

  const refused: readonly Row[] = [
    ...filed('refused-as-public'),
    ['{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}', 'algorithm', /an EC key/],
    ['{"kty":"EC","crv":"\\u001b[31m"}', 'algorithm', /an EC key/],
    [base64.slice(0, 201), 'truncated', /294 bytes, 150 bytes are there, 144 missing/],
    [fixture('keys/private.pkcs8.base64').slice(0, 800), 'private-key', /a truncated one/],
    [`${pem}${fixture('keys/private.pkcs8.pem')}`, 'private-key', /a private key/],
    ['', 'empty', /it is empty/],
    ['this is not a key', 'not-a-key', /not a key in any form/],
    ['AAECAwQFBgcICQ==', 'not-a-key', /read as Base64 it is 10 bytes that are not a key/],
    [pemOf('PUBLIC KEY', '!!'), 'malformed', /body is not Base64/],
    [pemOf('DH PARAMETERS', 'MAYCAQUCAQI='), 'not-a-key', /PEM of parameters \(DH PARAMETERS\)/],
    [fixtureBytes('keys/public.spki.der').toString(), 'not-a-key', /read as text/],
    ['MAIwAA==', 'not-a-key', /DER, but no key/],
    [pemOf('PGP PUBLIC KEY BLOCK', 'mQEN'), 'not-a-key', /OpenPGP/],
    ['{"kty":"RSA"}', 'malformed', /needs "n" and "e"/],
    ['x'.repeat(300_000), 'too-long', /300000 characters long/],
  ];
  it('refuses what it can not use, with the reason', () => {
    for (const [text, reason, words] of refused) {
      const { code, data, message, hint } = refusalOf(() => readPublicKey(text));
      assert.deepEqual([code, data.reason], ['usage', reason], words.source);
      assert.match(message, /^The public key can't be used: .*\.$/);
      assert.match(message, words);
      assert.match(hint, /SubjectPublicKeyInfo/);
    }
  });
});

describe('readPrivateKey', () => {
  it('takes the usual forms without a note', () => {
    for (const text of [
      fixture('keys/private.pkcs1.pem'),
      privateBase64,
      `\r\n${pkcs8.replaceAll('\n', '\r\n')}\r\n`,
      Buffer.from(privateBase64, 'base64'),
      fixture('keys/private.jwk.json'),
    ]) {
      const { key, notes } = readPrivateKey(text);
      const expected = [[], base64, pkcs8, 2048, 256];
      const { publicKey, modulusBits, modulusBytes } = key;
      const exported = [exportPublicKey(publicKey), exportPrivateKey(key)];
      assert.deepEqual([notes, ...exported, modulusBits, modulusBytes], expected);
    }
  });

  const converted: readonly (readonly [text: string, note: RegExp])[] = [
    [pkcs8.replaceAll('\n', '\\n'), /escapes/],
    [Buffer.from(pkcs8).toString('base64'), /Base64 of PEM/],
  ];
  it('takes other forms with a note', () => {
    for (const [text, note] of converted) {
      const { key, notes } = readPrivateKey(text);
      assert.equal(exportPrivateKey(key), pkcs8);
      assert.match(notes.join('\n'), note);
    }
  });

  const privateJwk = JSON.parse(fixture('keys/private.jwk.json'));
  const withoutPrimes = JSON.stringify({ ...privateJwk, p: undefined, qi: 5 });
  // The first prime replaced by another odd number of the same size.
  const swapped = JSON.stringify({ ...privateJwk, p: privateJwk.q });
  const refused: readonly Row[] = [
    ...filed('refused-as-private'),
    [base64, 'not-a-private-key', /a public key: the private half belongs here/],
    [privateBase64.slice(0, 1000), 'truncated', /DER announces 1217 bytes, 750 bytes are there/],
    [swapped, 'malformed', /numbers of the private key do not belong together/],
    [withoutPrimes, 'malformed', /needs "n" and "e", a private one "d", "p"/],
  ];
  it('refuses what it can not use, with the reason', () => {
    for (const [text, reason, words] of refused) {
      const { code, data, message } = refusalOf(() => readPrivateKey(text));
      assert.deepEqual([code, data.reason], ['usage', reason], words.source);
      assert.match(message, /^The private key can't be used: .*\.$/);
      assert.match(message, words);
    }
  });

  it('never quotes any of the text, however it is damaged', () => {
    const der = Buffer.from(privateBase64, 'base64');
    for (let at = 0; at < der.length; at += 7) {
      const damaged = Buffer.from(der);
      damaged[at] = (damaged[at] ?? 0) ^ (1 + (at % 255));
      const text = damaged.toString('base64');
      try {
        readPrivateKey(text);
      } catch (error) {
        assert.ok(error instanceof AuthcliError && error.code === 'usage', String(error));
        const shown = `${error.message} ${error.hint} ${JSON.stringify(error.data)}`;
        for (let from = 0; from + 12 < text.length; from += 6) {
          assert.equal(shown.includes(text.slice(from, from + 12)), false);
        }
      }
    }
  });
});

describe('readPrivateKey with a password', () => {
  const store = (name: string) => fixtureBytes(`keys/stores/${name}`);
  const reasonOf = (input: string | Uint8Array, password?: string) => {
    const { data, message, hint } = refusalOf(() =>
      readPrivateKey(input, { password, file: 'k.pem' }),
    );
    assert.doesNotMatch(message + hint, /example|\p{Cc}/u);
    return { reason: data.reason, hint };
  };

  it('opens an encrypted key, and reports a wrong and a missing password', () => {
    for (const file of ['traditional-aes128.pem', 'pkcs8-scrypt.pem', 'pkcs8.der']) {
      const { key, notes } = readPrivateKey(store(file), { password: 'example' });
      assert.deepEqual([exportPublicKey(key.publicKey), notes], [base64, []]);
      assert.equal(reasonOf(store(file), 'Example').reason, 'wrong-password');
      assert.equal(reasonOf(store(file)).reason, 'encrypted');
    }
  });

  it('names the command that converts a cipher that OpenSSL has no more', () => {
    for (const file of ['traditional-des.pem', 'pkcs8-rc2.pem']) {
      const { reason, hint } = reasonOf(store(file), 'example');
      assert.equal(reason, 'unsupported-encryption');
      assert.match(hint, /openssl pkey -provider legacy -provider default -in k\.pem -out key/);
    }
  });

  it('says of a damaged one that its password does not open it', () => {
    const pem = Buffer.from(store('traditional-aes128.pem')).toString();
    const cut = pem.replace(/(?:\n.*){4}\n-----END/, '\n-----END');
    assert.equal(reasonOf(cut, 'example').reason, 'wrong-password');
    const unknown = pem.replace('AES-128-CBC', '\u001b[31m');
    assert.equal(reasonOf(unknown, 'example').reason, 'wrong-password');
  });

  const imported = 'keytool -importkeystore -srckeystore k.pem -srcstoretype';
  const bks = Buffer.from(`0000000200000014${'07'.repeat(40)}`, 'hex');
  const stores = [
    [store('openssl.p12'), 'openssl pkcs12 -in k.pem '],
    [store('java.jks'), `${imported} JKS `],
    [store('java.jceks'), `${imported} JCEKS `],
    [bks, '-srcstoretype BKS '],
  ] as const;
  it('names a key store, with the command that takes the key out', () => {
    for (const [bytes, line] of stores) {
      const { reason, hint } = reasonOf(bytes, 'example');
      assert.equal(reason, 'key-store');
      assert.ok(hint.includes(line), hint);
    }
  });
});

describe('findUnsoundness', () => {
  const { modulus } = readPublicKey(base64).key;

  it('accepts any odd exponent, and a modulus of 43 bytes, the shortest, to 8192 bits', () => {
    for (const publicExponent of [3n, 65537n, (1n << 64n) - 1n]) {
      assert.equal(findUnsoundness({ modulus, publicExponent }), undefined);
    }
    assert.equal(findUnsoundness({ modulus: madeUp(43), publicExponent: 3n }), undefined);
    assert.equal(findUnsoundness({ modulus: madeUp(1024), publicExponent: 3n }), undefined);
  });

  const unsound: readonly (readonly [Uint8Array, bigint, RegExp])[] = [
    [modulus, 1n, /^has the exponent 1, so that the ciphertext is the plaintext$/],
    [modulus, 1n << 100n, /^has the even exponent 12676506002282294014…,/],
    [modulus, 1n + (1n << 64n), /^has an exponent of more than 64 bits/],
    [modulus.map((octet, at) => (at === 255 ? octet - 1 : octet)), 3n, /^has an even modulus/],
    [madeUp(42), 3n, /^has a modulus of 336 bits, too short .* leaves space for 31$/],
    [madeUp(1025), 3n, /^has a modulus of 8200 bits; more than 8192 can't be used$/],
    [Buffer.alloc(256, 0xff), 3n, /^has a modulus divisible by 3: it is damaged or made up$/],
  ];
  it('says what is unsound', () => {
    for (const [number, publicExponent, reason] of unsound) {
      assert.match(findUnsoundness({ modulus: number, publicExponent }) ?? '', reason);
    }
  });
});

/** An odd number of this many bytes that no small prime divides. */
function madeUp(bytes: number): Uint8Array {
  const made = new Uint8Array(bytes).fill(0xff);
  while (findUnsoundness({ modulus: made, publicExponent: 3n })?.includes('divisible')) {
    made[bytes - 1] = (made[bytes - 1] ?? 0) - 2;
  }
  return made;
}
