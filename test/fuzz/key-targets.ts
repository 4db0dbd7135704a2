import assert from 'node:assert/strict';
import { type Cipher, formatCipher, parseCipher } from '../../src/crypto/cipher.ts';
import { readPrivateKey, readPublicKey } from '../../src/crypto/key-reading.ts';
import { decryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { identifyCipher } from '../../src/diagnosis/cipher-identification.ts';
import { inspectKeyText } from '../../src/diagnosis/key-text.ts';
import { diagnosePayload } from '../../src/diagnosis/payload.ts';
import { diagnosePerUserKey } from '../../src/diagnosis/per-user-key.ts';
import { diagnoseWrappedKey } from '../../src/diagnosis/wrapped-key.ts';
import { fixture, fixtureBytes } from '../support/fixtures.ts';
import { assertSilent, type Target, textOf } from './target.ts';

const files = (...names: string[]) => names.map((name) => fixtureBytes(`keys/${name}`));
const publicKeys = [
  ...files('public.spki.der', 'public.spki.base64', 'public.spki.base64url', 'public.spki.hex'),
  ...files('public.spki.pem', 'public.pkcs1.pem', 'public.jwk.json', 'public.openssh'),
  ...files('other/ec.public.base64', 'other/ed25519.public.base64', 'public.xml'),
];
const privateKeys = [
  ...files('private.pkcs8.base64', 'private.pkcs8.pem', 'private.pkcs1.pem', 'private.jwk.json'),
  ...files('other/ec.private.sec1.pem'),
  Buffer.from(fixture('keys/private.pkcs8.base64'), 'base64'),
];
/** Digits from the middle of the private exponent, as PEM has them. */
const secret = fixture('keys/private.pkcs8.base64').slice(800, 864);

const notations = [
  'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64',
  'aes-128-gcm?key=sha256&iv=hex:000102030405060708090a0b&tag=after-iv&ivlen=12',
  'des-ede3-cbc?key=md5-hex&iv=zero',
  'aria-192-ctr',
  'aes-256-cbc?key=evp-md5',
];

const key = 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE';
const payload = Buffer.alloc(48, 7).toString('base64');
const payloads = [payload, 'U2FsdGVkX18AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=', 'aa'.repeat(32)];
const cipher = parseCipher('aes-256-cbc');
const privateKey = readPrivateKey(fixture('keys/private.pkcs8.pem')).key;

const wraps = [...(['base64', 'hex'] as const).map((as) => Buffer.alloc(256, 1).toString(as)), key];
const user = { ptnCd: 'u', clientId: 'c', now: 0, earlierKeys: [key] };
const refuses = true;
const share = 2;
const each = (decrypt: (cipher: Cipher) => unknown) => notations.map(parseCipher).map(decrypt);

/** Keys, ciphers and payloads in every notation. */
export const keyTargets: readonly Target[] = [
  [
    'cipher notation',
    notations,
    (bytes) => parseCipher(formatCipher(parseCipher(textOf(bytes)))),
    { refuses, share: 3 },
  ],
  ['public key', publicKeys, readPublicKey, { refuses, share }],
  ['private key', privateKeys, readPrivateKey, { refuses, secret, share }],
  [
    'key inspect',
    [...publicKeys, ...privateKeys, key, payload],
    (bytes) => assertSilent(JSON.stringify(inspectKeyText(bytes)), secret),
    { share },
  ],
  ['payload', payloads, (bytes) => each((as) => decryptPayload(textOf(bytes), key, as))],
  [
    'per-user key of a payload',
    [key, 'aa'.repeat(16), 'QUJD'.repeat(8)],
    (bytes) => each((as) => decryptPayload(payload, textOf(bytes), as)),
  ],
  [
    'payload that does not decrypt',
    payloads,
    (bytes) =>
      assertSilent(JSON.stringify(diagnosePayload({ payload: textOf(bytes), key, cipher })), key),
    { share: 0.05 },
  ],
  [
    'payload to identify',
    payloads,
    (bytes) => identifyCipher([textOf(bytes)], key),
    { share: 0.05 },
  ],
  [
    'per-user key',
    [key, `"${key}"\n`, 'aa'.repeat(32)],
    (bytes) => diagnosePerUserKey(bytes, user),
  ],
  [
    'wrapped key',
    [...wraps, `"${key}"`],
    (bytes) => {
      const found = diagnoseWrappedKey(textOf(bytes), { privateKey, ptnCd: 'u', now: 0 });
      if (!found.ok) assert.notEqual(found.diagnoses.length, 0);
    },
    { share: 0.5 },
  ],
];
