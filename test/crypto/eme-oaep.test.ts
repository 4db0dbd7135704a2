import assert from 'node:assert/strict';
import { constants, publicEncrypt } from 'node:crypto';
import { describe, it } from 'node:test';
import { identifyOaep } from '../../src/crypto/eme-oaep.ts';
import { readPrivateKey } from '../../src/crypto/key-reading.ts';
import { encodeEmePkcs1V15, rsadp } from '../../src/crypto/rsaes-pkcs1-v1_5.ts';
import { fixture } from '../support/fixtures.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('eme-oaep');

const { key } = readPrivateKey(fixture('keys/private.pkcs8.pem'));
const message = Buffer.from('k'.repeat(32));

/** The encoded message of Node's own OAEP, whose MGF1 hash is the hash itself. */
function encode(oaepHash: string, oaepLabel?: Buffer): Uint8Array {
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const options = { key: key.publicKey.keyObject, padding, oaepHash, oaepLabel };
  return rsadp(key, publicEncrypt(options, message)) ?? new Uint8Array();
}

describe('identifyOaep', () => {
  it('knows every hash, without and with a label', () => {
    for (const hash of ['sha1', 'sha256', 'sha512', 'md5', 'sha3-256', 'sha512-256']) {
      const expected = { hash, mgf1Hash: hash, message };
      assert.deepEqual(identifyOaep(encode(hash)), { ...expected, hasLabel: false });
      const labelled = encode(hash, Buffer.from('label'));
      assert.deepEqual(identifyOaep(labelled), { ...expected, hasLabel: true });
    }
  });

  it('sees no OAEP in a PKCS #1 v1.5 block, in noise, in zeros or in nothing', () => {
    const noise = Buffer.concat([Uint8Array.of(0), randomBytes(255)]);
    const firstOctet = Uint8Array.of(1, ...encode('sha1').subarray(1));
    const pkcs1 = encodeEmePkcs1V15(message, 256, randomBytes);
    const zeros = [256, 20, 0].map((length) => new Uint8Array(length));
    for (const block of [pkcs1, noise, firstOctet, ...zeros]) {
      assert.equal(identifyOaep(block), undefined);
    }
  });
});
