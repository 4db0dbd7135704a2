import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generatePerUserKey } from '../../../src/crypto/per-user-key.ts';
import { exportPrivateKey, exportPublicKey, toRsaPrivateKey } from '../../../src/crypto/rsa-key.ts';
import { unwrapKey, wrapKey } from '../../../src/crypto/rsaes-pkcs1-v1_5.ts';
import { fixture } from '../../support/fixtures.ts';

const program = fileURLToPath(new URL('RsaKeys.java', import.meta.url));

const pairs = [1024, 2048, 3072, 4096].map((modulusLength) => ({
  modulusLength,
  key: toRsaPrivateKey(generateKeyPairSync('rsa', { modulusLength }).privateKey),
  perUserKey: generatePerUserKey(randomBytes),
}));

/** What X509EncodedKeySpec makes of keys that only lenient readers take. */
const publicKeys: readonly (readonly [name: string, line: RegExp])[] = [
  ['keys/public.spki.base64', /^read$/],
  ['keys/public.pkcs1.base64', /^failed InvalidKeySpecException$/],
  ['keys/other/rsa-trailing-bytes.public.base64', /^read$/],
  ['keys/other/rsa-negative-modulus.public.base64', /^read$/],
  ['keys/other/rsa-truncated.public.base64', /^failed InvalidKeySpecException$/],
];

describe("Java's RSA/ECB/PKCS1Padding", () => {
  let lines: string[] = [];

  before(() => {
    const input = [
      ...pairs.flatMap(requests),
      ...publicKeys.map(([name]) => `read ${fixture(name)}`),
    ];
    const run = spawnSync('java', [program], { input: `${input.join('\n')}\n`, encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    lines = run.stdout.trim().split('\n');
  });

  pairs.forEach(({ modulusLength, key, perUserKey }, index) => {
    it(`wraps what we unwrap, with the public key as the interface sends it: ${modulusLength} bits`, () => {
      const unwrapped = unwrapKey(key, lines[2 * index] ?? '');
      assert.deepEqual(unwrapped, { ok: true, message: Buffer.from(perUserKey) });
    });

    it(`unwraps what we wrapped, with our PKCS #8: ${modulusLength} bits`, () => {
      assert.equal(lines[2 * index + 1], perUserKey);
    });
  });

  publicKeys.forEach(([name, expected], index) => {
    it(`prints ${expected.source} for ${name}`, () => {
      assert.match(lines[2 * pairs.length + index] ?? '', expected);
    });
  });
});

function requests({ key, perUserKey }: (typeof pairs)[number]): readonly string[] {
  const pkcs8 = exportPrivateKey(key).replace(/-----[^-]+-----|\s/g, '');
  const wrapped = wrapKey(key.publicKey, perUserKey, randomBytes);
  return [`wrap ${exportPublicKey(key.publicKey)} ${perUserKey}`, `unwrap ${pkcs8} ${wrapped}`];
}
