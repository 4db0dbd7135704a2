import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readPrivateKey, readPublicKey } from '../../../src/crypto/key-reading.ts';
import { generatePerUserKey } from '../../../src/crypto/per-user-key.ts';
import { exportPrivateKey, exportPublicKey } from '../../../src/crypto/rsa-key.ts';
import { wrapKey } from '../../../src/crypto/rsaes-pkcs1-v1_5.ts';
import { unwrapKey } from '../../support/unwrap-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-openssl-rsa-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const read = (name: string) => readFileSync(join(folder, name));
const write = (name: string, text: string | Uint8Array) => writeFileSync(join(folder, name), text);

/** Runs openssl with words that contain no blank; file names are relative to the test's folder. */
const openssl = (line: string): Buffer =>
  execFileSync('openssl', line.split(' '), { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });

describe('OpenSSL', () => {
  before(() => {
    openssl('genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out key.pem');
    openssl('pkey -in key.pem -pubout -out public.pem');
  });

  it('decrypts what we wrapped, and encrypts what we unwrap', () => {
    const perUserKey = generatePerUserKey(randomBytes);
    const padding = '-pkeyopt rsa_padding_mode:pkcs1';
    const { key } = readPublicKey(read('public.pem'));
    write('wrapped', Buffer.from(wrapKey(key, perUserKey, randomBytes), 'base64'));
    const plain = openssl(`pkeyutl -decrypt -inkey key.pem ${padding} -in wrapped`);
    assert.equal(plain.toString(), perUserKey);
    write('plain', perUserKey);
    const wrapped = openssl(`pkeyutl -encrypt -pubin -inkey public.pem ${padding} -in plain`);
    const unwrapped = unwrapKey(readPrivateKey(read('key.pem')).key, wrapped.toString('base64'));
    assert.deepEqual(unwrapped, Buffer.from(perUserKey));
  });

  it('writes keys that we read, in all its forms, and reads what we export', () => {
    openssl('rsa -in key.pem -traditional -out pkcs1.pem');
    openssl('rsa -in key.pem -traditional -outform DER -out pkcs1.der');
    openssl('pkcs8 -topk8 -nocrypt -in key.pem -outform DER -out pkcs8.der');
    openssl('pkey -in key.pem -pubout -outform DER -out public.der');
    openssl('rsa -in key.pem -RSAPublicKey_out -out public.pkcs1.pem');
    openssl('req -x509 -key key.pem -subj /CN=example -out certificate.pem');
    const expected = read('public.der').toString('base64');
    for (const name of ['key.pem', 'pkcs1.pem', 'pkcs1.der', 'pkcs8.der']) {
      const { key } = readPrivateKey(read(name));
      assert.equal(exportPublicKey(key.publicKey), expected, name);
      write('exported.pem', exportPrivateKey(key));
      assert.deepEqual(openssl('pkey -in exported.pem -pubout'), read('public.pem'), name);
    }
    for (const name of ['public.pem', 'public.der', 'public.pkcs1.pem', 'certificate.pem'])
      assert.equal(exportPublicKey(readPublicKey(read(name)).key), expected, name);
  });
});
