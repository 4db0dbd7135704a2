import assert from 'node:assert/strict';
import { createHmac, pbkdf2Sync } from 'node:crypto';
import { describe, it } from 'node:test';
import { derTags, writeDer, writeDerInteger } from '../../src/crypto/der.ts';
import { KeyFault } from '../../src/crypto/der-fields.ts';
import { type OpenOptions, openPrivateKey } from '../../src/crypto/key-reading.ts';
import { Iterations, maxIterations } from '../../src/crypto/password-encryption.ts';
import { exportPublicKey } from '../../src/crypto/rsa-key.ts';
import { AuthcliError } from '../../src/errors.ts';
import { fixture, fixtureBytes } from '../support/fixtures.ts';
import { indefinite, replaced, replacedAfter, splitPfx } from '../support/key-store-parts.ts';

const publicBase64 = fixture('keys/public.spki.base64');
const store = (name: string): Buffer => Buffer.from(fixtureBytes(`keys/stores/${name}`));
const password = 'example';

async function refusalOf(input: string | Uint8Array, options: OpenOptions): Promise<AuthcliError> {
  return openPrivateKey(input, options).then(
    () => assert.fail('it was opened'),
    (error: unknown) => {
      assert.ok(error instanceof AuthcliError, String(error));
      assert.equal(error.code, 'usage');
      return error;
    },
  );
}

describe('openPrivateKey', () => {
  const opened: readonly (readonly [file: string, alias?: string, certificates?: number])[] = [
    ['openssl.p12', 'shop', 1],
    ['openssl-legacy.p12', 'shop', 1],
    ['openssl-sha512.p12', 'shop', 1],
    ['openssl-nomac.p12', 'shop', 1],
    ['chain.p12', 'chain', 2],
    ['java.p12', 'shop', 1],
    ['forge.p12', 'shop', 1],
    ['traditional-aes128.pem'],
    ['traditional-aes256.pem'],
    ['traditional-des3.pem'],
    ['traditional-des.pem'],
    ['pkcs8-scrypt.pem'],
    ['pkcs8-des3.pem'],
    ['pkcs8-md5-des.pem'],
    ['pkcs8-rc2.pem'],
    ['pkcs8.der'],
  ];
  for (const [file, alias, certificates = 0] of opened) {
    it(`opens ${file}, and reports a wrong and a missing password`, async () => {
      const read = await openPrivateKey(store(file), { password });
      assert.equal(exportPublicKey(read.key.publicKey), publicBase64);
      assert.deepEqual([read.alias, read.certificates.length], [alias, certificates]);
      assert.deepEqual(read.notes, []);
      const wrong = await refusalOf(store(file), { password: 'Example' });
      assert.equal(wrong.data.reason, 'wrong-password');
      assert.match(
        wrong.message,
        /the password does not open the (?:PKCS #12 key store|private key)\.$/,
      );
      const missing = await refusalOf(store(file), {});
      assert.equal(missing.data.reason, 'encrypted');
    });
  }

  it('opens a key store with the empty password without asking', async () => {
    const { key, alias } = await openPrivateKey(store('openssl-empty.p12'));
    assert.equal(exportPublicKey(key.publicKey), publicBase64);
    assert.equal(alias, '1');
  });

  it('opens Base64 of a key store, and notes nothing but that', async () => {
    const { key } = await openPrivateKey(store('openssl.p12').toString('base64'), { password });
    assert.equal(exportPublicKey(key.publicKey), publicBase64);
  });

  it('opens a key store in BER with indefinite lengths, as NSS and Bouncy Castle write it', async () => {
    const { key } = await openPrivateKey(indefinite(store('openssl.p12')), { password });
    assert.equal(exportPublicKey(key.publicKey), publicBase64);
  });

  for (const digest of ['sha256', 'sha512'] as const) {
    it(`opens a key store whose integrity PBMAC1 with ${digest} protects`, async () => {
      const { version, safe, contents } = splitPfx(store('openssl.p12'));
      const mac = pbmac1(digest, contents, password);
      const pfx = writeDer(derTags.sequence, version, safe, mac);
      const { key } = await openPrivateKey(pfx, { password });
      assert.equal(exportPublicKey(key.publicKey), publicBase64);
      const wrong = await refusalOf(pfx, { password: 'other' });
      assert.equal(wrong.data.reason, 'wrong-password');
    });
  }

  it('takes the key that the alias names, in any case', async () => {
    const two = store('java-two.p12');
    const none = await refusalOf(two, { password });
    assert.equal(none.data.reason, 'alias');
    assert.match(none.message, /it has 2 private keys: "shop", "other"\.$/);
    const { alias } = await openPrivateKey(two, { password, alias: 'SHOP' });
    assert.equal(alias, 'shop');
    const other = await refusalOf(two, { password, alias: 'other' });
    assert.match(other.message, /it is an EC \(P-256\) key: an RSA key belongs here/);
    const unknown = await refusalOf(two, { password, alias: 'web' });
    assert.match(unknown.message, /no private key with the alias "web": it has "shop", "other"\.$/);
  });

  it('names key stores that only Java opens, with the line that converts them', async () => {
    const bks = Buffer.concat([Buffer.from('0000000200000014', 'hex'), Buffer.alloc(40, 7)]);
    const uber = Buffer.concat([Buffer.from('0000000100000014', 'hex'), Buffer.alloc(40, 7)]);
    const stores = [
      [store('java.jks'), 'JKS', 'a JKS key store with 1 entry'],
      [store('java.jceks'), 'JCEKS', 'a JCEKS key store with 1 entry'],
      [bks, 'BKS', 'a BKS key store'],
      [uber, 'BKS', 'a BKS or UBER key store'],
    ] as const;
    for (const [bytes, type, words] of stores) {
      const { message, hint, data } = await refusalOf(bytes, { password, file: "'my keys'" });
      assert.equal(data.reason, 'key-store');
      assert.ok(message.includes(`it is ${words}, which only Java opens`), message);
      assert.ok(
        hint.includes(`keytool -importkeystore -srckeystore 'my keys' -srcstoretype ${type} `),
        hint,
      );
    }
  });
});

/** MacData of RFC 9579, written with Node's own functions. */
function pbmac1(digest: 'sha256' | 'sha512', contents: Uint8Array, secret: string): Uint8Array {
  const oid = (hex: string) => writeDer(derTags.objectIdentifier, Buffer.from(hex, 'hex'));
  const sequence = (...parts: Uint8Array[]) => writeDer(derTags.sequence, ...parts);
  const number = (value: number) => writeDerInteger(Buffer.from([value >> 8, value & 0xff]));
  const hmac = sequence(
    oid(digest === 'sha256' ? '2a864886f70d0209' : '2a864886f70d020b'),
    writeDer(derTags.null),
  );
  const salt = Buffer.from('a salt of PBKDF2');
  const size = digest === 'sha256' ? 32 : 64;
  const kdf = sequence(
    oid('2a864886f70d01050c'),
    sequence(writeDer(derTags.octetString, salt), number(2048), number(size), hmac),
  );
  const key = pbkdf2Sync(secret, salt, 2048, size, digest);
  const mac = createHmac(digest, key).update(contents).digest();
  const algorithm = sequence(oid('2a864886f70d01050e'), sequence(kdf, hmac));
  const info = sequence(algorithm, writeDer(derTags.octetString, mac));
  return sequence(info, writeDer(derTags.octetString, Buffer.from('NOT USED')), number(1));
}

describe('damaged key stores and encrypted keys', () => {
  const p12 = store('openssl.p12');
  const nomac = store('openssl-nomac.p12');
  const legacy = store('openssl-legacy.p12');
  const scrypt = store('pkcs8-scrypt.pem').toString();
  const pem = store('traditional-aes128.pem').toString();
  const der = store('pkcs8.der');
  const cut = (bytes: Buffer, from: number, to?: number) => bytes.subarray(from, to);
  const flipped = (bytes: Buffer, at: number) => {
    const copy = Buffer.from(bytes);
    const index = at < 0 ? bytes.length + at : at;
    copy[index] = (copy[index] ?? 0) ^ 0x55;
    return copy;
  };
  const pbkdf2 = '2a864886f70d01050c';
  const huge = Buffer.from('02047fffffff', 'hex');
  const count = Buffer.from('02020800', 'hex');

  const damage = 'damaged';
  const tooMuch = new RegExp(`more work than the ${maxIterations} iterations`);
  const cases: readonly (readonly [
    what: string,
    input: string | Uint8Array,
    reason: string,
    words: RegExp,
  ])[] = [
    ['a key store without its last byte', cut(p12, 0, -1), damage, /its end is missing/],
    ['a key store cut in the middle', cut(p12, 0, 1200), damage, /its end is missing/],
    ['a key store cut in its header', cut(p12, 0, 40), damage, /its end is missing/],
    ['a key store of the first ten bytes', cut(p12, 0, 10), damage, /its end is missing/],
    ['a MAC value changed', flipped(p12, -40), damage, /contents are not those/],
    ['the salt of the MAC changed', flipped(p12, -8), damage, /contents are not those/],
    [
      'the last bytes of the certificates changed',
      flipped(p12, 1000),
      damage,
      /contents are not those/,
    ],
    ['another version', replaced(p12, '020103', '020104'), 'not-a-key', /no key, certificate/],
    [
      'an unknown MAC',
      replacedAfter(p12, '3031300d0609', '608648016503040201', '608648016503040209'),
      'unsupported-encryption',
      /its MAC uses the algorithm 2\.16\.840\.1\.101\.3\.4\.2\.9/,
    ],
    [
      'billions of iterations in the MAC',
      lastCount(p12, huge),
      'too-many-iterations',
      /MAC with HMAC-SHA-256 with 2147483647/,
    ],
    [
      'no iterations in the MAC',
      lastCount(p12, Buffer.from('020100', 'hex')),
      damage,
      /no iterations/,
    ],
    [
      'a negative count in the MAC',
      lastCount(p12, Buffer.from('0201ff', 'hex')),
      damage,
      /missing or not of its type/,
    ],
    ['billions of iterations of a part', withCount(nomac, huge), 'too-many-iterations', tooMuch],
    [
      'no iterations of a part',
      withCount(nomac, Buffer.from('020100', 'hex')),
      damage,
      /no iterations/,
    ],
    [
      'an unknown key derivation',
      replaced(nomac, pbkdf2, '2a864886f70d01050d'),
      'unsupported-encryption',
      /the algorithm 1\.2\.840\.113549\.1\.5\.13/,
    ],
    [
      'an unknown cipher',
      replaced(nomac, '60864801650304012a', '60864801650304012e'),
      'unsupported-encryption',
      /AES-256-GCM/,
    ],
    [
      'an unknown hash of PBKDF2',
      replaced(nomac, '2a864886f70d0209', '2a864886f70d0204'),
      'unsupported-encryption',
      /1\.2\.840\.113549\.2\.4/,
    ],
    [
      'an IV of 15 bytes',
      replaced(nomac, '60864801650304012a0410', '60864801650304012a040f'),
      damage,
      /an element inside|is broken|its DER/,
    ],
    [
      'RC4',
      store('openssl-rc4.p12'),
      'unsupported-encryption',
      /PKCS #12 with RC4-128, which is not supported/,
    ],
    [
      'the type of the contents changed',
      replaced(p12, '2a864886f70d010701', '2a864886f70d010709'),
      damage,
      /unknown type 1\.2\.840\.113549\.1\.7\.9/,
    ],
    [
      'signed contents',
      replaced(p12, '2a864886f70d010701', '2a864886f70d010702'),
      'unsupported-encryption',
      /modes with public keys/,
    ],
    [
      'a part without MAC, its ciphertext changed at its end',
      flipped(nomac, -90),
      damage,
      /missing or not of its type|end is broken|BER|DER/,
    ],
    ['legacy, cut', cut(legacy, 0, 2000), damage, /its end is missing/],
    ['legacy, billions of iterations', lastCount(legacy, huge), 'too-many-iterations', tooMuch],
    ['legacy, a changed MAC', flipped(legacy, -30), damage, /contents are not those/],
    [
      'certificates alone',
      Buffer.from(fixture('keys/other/certificates.p12.base64'), 'base64'),
      'not-a-private-key',
      /without a private key/,
    ],
    ['an encrypted key cut', cut(der, 0, 900), 'truncated', /truncated/],
    [
      'an encrypted key with its last block changed',
      flipped(der, -20),
      damage,
      /its end is not what was encrypted/,
    ],
    ['an encrypted key changed in the middle', flipped(der, 700), 'malformed', /damaged/],
    [
      'an encrypted key with its first block changed',
      flipped(der, 105),
      'wrong-password',
      /does not open/,
    ],
    [
      'an encrypted key with billions of iterations',
      replacedCount(der, count, huge),
      'too-many-iterations',
      tooMuch,
    ],
    [
      'scrypt with gigabytes of memory',
      scryptCost(scrypt, '02024000', '02024000', '0203400000'),
      'too-many-iterations',
      /scrypt \(N 4194304/,
    ],
    [
      'scrypt with a thousand blocks beside each other',
      scryptCost(scrypt, '020101', '020101', '02020400'),
      'too-many-iterations',
      /p 1024\)/,
    ],
    [
      'PEM with an unknown cipher',
      pem.replace('AES-128-CBC', 'IDEA-CBC'),
      'unsupported-encryption',
      /DEK-Info names IDEA-CBC, which is not supported/,
    ],
    [
      'PEM with a cipher that hides a colour',
      pem.replace('AES-128-CBC', '\u001b[31m'),
      'unsupported-encryption',
      /names an unknown cipher/,
    ],
    [
      'PEM with half of its IV',
      pem.replace(/,([0-9A-F]{16})[0-9A-F]{16}/, ',$1'),
      damage,
      /the IV in its DEK-Info/,
    ],
    [
      'PEM with an IV that is not hexadecimal',
      pem.replace(/,[0-9A-F]{2}/, ',xy'),
      damage,
      /the IV in its DEK-Info/,
    ],
    ['PEM without DEK-Info', pem.replace(/DEK-Info.*\n/, ''), 'malformed', /without the DEK-Info/],
    ['PEM without a line', without(pem, 10), damage, /cut/],
    [
      'PEM with the last lines gone',
      pem.replace(/(?:\n.*){4}\n-----END/, '\n-----END'),
      damage,
      /cut/,
    ],
    [
      'PEM that is not Base64',
      pem.replace(/\n\n..../, '\n\n!!!!'),
      'malformed',
      /body is not Base64/,
    ],
    [
      'PEM with another cipher of the same length',
      pem.replace('AES-128-CBC', 'CAMELLIA-128-CBC'),
      'wrong-password',
      /does not open/,
    ],
    ['scrypt PEM cut', without(scrypt, 12), 'truncated', /truncated/],
    [
      'JKS cut to its header',
      cut(store('java.jks'), 0, 16),
      'key-store',
      /a JKS key store with 1 entry/,
    ],
  ];
  assert.ok(cases.length >= 40);
  for (const [what, input, reason, words] of cases) {
    it(`${what}: ${reason}`, async () => {
      const error = await refusalOf(input, { password });
      assert.equal(error.data.reason, reason, error.message);
      assert.match(error.message, words);
      assert.match(error.message, /^The private key can't be used: .*\.$/);
      assert.notEqual(error.hint, '');
      assert.doesNotMatch(error.message + error.hint, /example|\p{Cc}/u);
    });
  }

  function lastCount(bytes: Buffer, by: Buffer): Uint8Array {
    const { version, safe, mac } = splitPfx(bytes);
    const changed = Buffer.concat([mac.subarray(0, -4), by]);
    return writeDer(derTags.sequence, version, safe, writeDer(derTags.sequence, changed));
  }

  function withCount(bytes: Buffer, by: Buffer): Uint8Array {
    return replacedCount(bytes, count, by);
  }

  function replacedCount(bytes: Buffer, from: Buffer, by: Buffer): Uint8Array {
    return replaced(bytes, from.toString('hex'), by.toString('hex'));
  }

  function scryptCost(text: string, at: string, from: string, by: string): string {
    assert.equal(at, from);
    const body = Buffer.from(text.replace(/-----.*?-----/g, ''), 'base64');
    return Buffer.from(replaced(body, from, by)).toString('base64');
  }

  function without(text: string, line: number): string {
    return text.split('\n').toSpliced(line, 1).join('\n');
  }
});

it('names a command that converts an encrypted key as well as a key store', () => {
  const fix = /`openssl pkey -in k\.der -out key\.pem` \(PKCS #8\) or `openssl pkcs12 -in k\.der /;
  assert.throws(
    () => new Iterations().spend(maxIterations + 1, 'PBKDF2'),
    (error) => error instanceof KeyFault && fix.test(error.refusal.fix?.('k.der') ?? ''),
  );
});
