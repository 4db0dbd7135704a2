import assert from 'node:assert/strict';
import { createCipheriv, createPrivateKey, createPublicKey, pbkdf2Sync } from 'node:crypto';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { encodeBase64 } from '../../src/bytes.ts';
import { derTags, writeDer } from '../../src/crypto/der.ts';
import { publicKeyIn, readPrivateKey, readPublicKey } from '../../src/crypto/key-reading.ts';
import { findUnsoundness } from '../../src/crypto/key-structure.ts';
import { inspectKeyText } from '../../src/diagnosis/key-text.ts';
import { AuthcliError } from '../../src/errors.ts';
import type { SeenExchange } from '../../src/traffic/forward.ts';
import { substituteKeys } from '../../src/traffic/key-substitution.ts';
import { fixture } from '../support/fixtures.ts';

const { sequence, octetString, objectIdentifier } = derTags;
const pbes2 = '2a864886f70d01050d';
const pbkdf2 = '2a864886f70d01050c';
const scrypt = '2b06010401da47040b';
/** SHA-1 and triple DES, as PKCS #12 derives it. */
const pkcs12 = '2a864886f70d010c0103';
const md5Des = '2a864886f70d010503';
const aes256 = '60864801650304012a';

const oid = (hex: string) => writeDer(objectIdentifier, Buffer.from(hex, 'hex'));
const integer = (value: number) => {
  const bytes = Math.floor(value.toString(2).length / 8) + 1; // the first bit is the sign
  return writeDer(derTags.integer, Buffer.from(value.toString(16).padStart(2 * bytes, '0'), 'hex'));
};
const salt = writeDer(octetString, Buffer.alloc(16));
/** An AlgorithmIdentifier whose parameters are a salt and numbers. */
const scheme = (name: string, ...numbers: readonly number[]) =>
  writeDer(sequence, oid(name), writeDer(sequence, salt, ...numbers.map(integer)));
const inPbes2 = (derivation: Uint8Array) => {
  const cipher = writeDer(sequence, oid(aes256), salt);
  return writeDer(sequence, oid(pbes2), writeDer(sequence, derivation, cipher));
};
const encrypted = (identifier: Uint8Array, content = Buffer.alloc(1232)) =>
  writeDer(sequence, identifier, writeDer(octetString, content));
/** BER's indefinite length, which OpenSSL reads too. */
const indefinite = (der: Uint8Array) =>
  Buffer.concat([Uint8Array.of(sequence, 0x80), der.subarray(2), Buffer.alloc(2)]);

const most = 2 ** 31 - 1;
const hostile: readonly (readonly [string, Uint8Array, reason: string, RegExp])[] = [
  ['PBKDF2', inPbes2(scheme(pbkdf2, most)), 'unsupported-encryption', /5000000 iterations/],
  ['PKCS #12', scheme(pkcs12, most), 'unsupported-encryption', /5000000 iterations/],
  ['PBES1', scheme(md5Des, most), 'unsupported-encryption', /5000000 iterations/],
  [
    'scrypt',
    inPbes2(scheme(scrypt, 1024, 1, 1e5)),
    'unsupported-encryption',
    /N \* r \* p is over/,
  ],
  ['scrypt N = 3', inPbes2(scheme(scrypt, 3, 8, 1)), 'malformed', /no key can be derived/],
  ['scrypt N = 1', inPbes2(scheme(scrypt, 1, 8, 1)), 'malformed', /no key can be derived/],
  ['scrypt r = 0', inPbes2(scheme(scrypt, 4, 0, 1)), 'malformed', /no key can be derived/],
  ['PBKDF2 of none', inPbes2(scheme(pbkdf2, 0)), 'malformed', /no key can be derived/],
  ['BER', inPbes2(indefinite(scheme(pbkdf2, most))), 'malformed', /no key can be derived/],
];

const depth = 100_000;
const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Public keys of numbers without a small factor, which are no product of two primes. */
function madeUpKeys(bits: number, count: number): readonly string[] {
  const keys: string[] = [];
  for (let modulus = (1n << BigInt(bits - 1)) + 1n; keys.length < count; modulus += 2n) {
    const numbers = { modulus: bytesOf(modulus), publicExponent: 65537n };
    if (findUnsoundness(numbers) === undefined) keys.push(spkiOf(modulus));
  }
  return keys;
}

const bytesOf = (modulus: bigint) => Buffer.from(modulus.toString(16), 'hex');

const spkiOf = (modulus: bigint) => {
  const key = { kty: 'RSA', n: bytesOf(modulus).toString('base64url'), e: 'AQAB' };
  return encodeBase64(
    createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'der' }),
  );
};

describe('the sizes that a file or a message chooses', () => {
  for (const [name, identifier, reason, message] of hostile) {
    it(`derives no key from a password with ${name}`, () => {
      const der = encrypted(identifier);
      const open = () => readPrivateKey(der, { password: 'example', file: 'k.pem' });
      assert.throws(open, (error: unknown) => {
        assert.ok(error instanceof AuthcliError);
        assert.deepEqual([error.code, error.data.reason], ['usage', reason]);
        assert.match(error.message, message);
        return true;
      });
      const { closed } = inspectKeyText(der, 'example');
      assert.equal(closed?.code, reason);
    });
  }

  it('derives one with as many iterations as are recommended', () => {
    const privateKey = createPrivateKey(fixture('keys/private.pkcs8.pem'));
    const key = pbkdf2Sync('example', Buffer.alloc(16), 1_300_000, 32, 'sha1');
    const cipher = createCipheriv('aes-256-cbc', key, Buffer.alloc(16));
    const plain = privateKey.export({ type: 'pkcs8', format: 'der' });
    const content = Buffer.concat([cipher.update(plain), cipher.final()]);
    const der = encrypted(inPbes2(scheme(pbkdf2, 1_300_000)), content);
    assert.ok(readPrivateKey(der, { password: 'example' }).key.keyObject.equals(privateKey));
  });

  it('reads keys in JSON of any depth', () => {
    for (const field of ['public_key', 'publicKey', 'key']) {
      const text = `{"${field}":{"kty":"EC","crv":"P-256","x":${nested}}}`;
      const { algorithm, notes } = inspectKeyText(text);
      assert.equal(algorithm, 'ec');
      assert.match(notes.join('\n'), new RegExp(`it is the field "${field}" of JSON`));
    }
    for (const text of [nested, `{"kty":"RSA","n":${nested}}`, '{"key":'.repeat(30_000)]) {
      assert.notEqual(inspectKeyText(text).usable, true);
    }
  });

  it('knows no curve of a JWK but those of the RFC', () => {
    for (const crv of ['constructor', '__proto__', 'toString', 'valueOf']) {
      const text = JSON.stringify({ kty: 'OKP', crv, x: 'AA' });
      const { algorithm, notes } = inspectKeyText(text);
      assert.equal(algorithm, undefined);
      assert.match(notes.join('\n'), /a JWK that OpenSSL can't read/);
    }
  });

  it('takes no modulus of more than 8192 bits', () => {
    const [right = ''] = madeUpKeys(8192, 1);
    assert.equal(publicKeyIn(right)?.key.modulusBits, 8192);
    assert.equal(publicKeyIn(spkiOf((1n << 16383n) + 1n)), undefined);
    assert.throws(() => readPublicKey(spkiOf((1n << 16383n) + 1n)), /more than 8192 can't be used/);
  });

  const substituted = async (keys: readonly string[]) => {
    const notes: string[] = [];
    const made: number[] = [];
    let [now, atOnce] = [0, 0];
    const substitute = substituteKeys({
      generateKeyPairLike: async ({ modulusBits }) => {
        made.push(modulusBits);
        now += 1;
        atOnce = Math.max(atOnce, now);
        await turn();
        now -= 1;
        throw new Error('not made in this test');
      },
      concerns: () => true,
      note: (text) => notes.push(text),
    });
    await turn();
    await Promise.all(
      keys.map((key) => {
        const body = Buffer.from(JSON.stringify({ ptn_cd: 'user', public_key: key }));
        return substitute({} as SeenExchange).request?.(body);
      }),
    );
    return { made, atOnce, notes };
  };

  it('makes two large key pairs for a relay, and one at a time', async () => {
    const { made, atOnce, notes } = await substituted(madeUpKeys(8192, 5));
    assert.deepEqual([made, atOnce], [[8192, 8192], 1]);
    assert.match(notes.join('\n'), /more than 2 keys of over 4096 bits came as public_key/);
  });

  it('makes 32 key pairs for a relay', async () => {
    const { made, atOnce, notes } = await substituted(madeUpKeys(1024, 40));
    assert.deepEqual([made.length, atOnce], [32, 1]);
    assert.match(notes.join('\n'), /more than 32 different keys came as public_key/);
  });
});
