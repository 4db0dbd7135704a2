import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { briefCipher, formatCipher, parseCipher } from '../../../src/crypto/cipher-notation.ts';
import { decryptionCalls } from '../../../src/diagnosis/decryption-calls.ts';
import type { Diagnosis } from '../../../src/errors.ts';
import {
  authcli,
  type Change,
  scratchFolder,
  withExample,
} from '../../support/example-application.ts';

const command = ['python3', 'application.py'] as const;
const example = { folder: 'python', file: 'application.py', command } as const;
const needs = 'from cryptography.hazmat.primitives.ciphers.aead import AESGCM';
const withIv = (mode: string): readonly Change[] => [
  ['modes.CBC(raw[:16])', mode],
  ['decryptor.update(raw[16:])', 'decryptor.update(raw)'],
];
const withKey = (key: string): readonly Change[] => [['key.encode()), modes', `${key}), modes`]];
const read = 'raw = base64.b64decode(payload)';
const opened = 'return AESGCM(key.encode()).decrypt(raw[:12], raw[12:], None).decode()';
const unpad = 'return (unpadder.update(padded) + unpadder.finalize()).decode()';
const byLastByte = 'return padded[:-padded[-1]].decode()';

/** What the example is changed to, and the ciphers that `cipher probe` must find, the one first that is named. */
const variants: readonly (readonly [title: string, changes: readonly Change[], ciphers: string])[] =
  [
    ['what it should', [], 'aes-256-cbc'],
    ['ECB', withIv('modes.ECB()'), 'aes-256-ecb'],
    ['a zero IV', withIv('modes.CBC(bytes(16))'), 'aes-256-cbc?iv=zero'],
    ['GCM', [[read, `${read}\n    ${opened}`]], 'aes-256-gcm'],
    ['a key of 128 bits', withKey('key.encode()[:16]'), 'aes-128-cbc'],
    ['the key decoded from hexadecimal', withKey('bytes.fromhex(key)'), 'aes-128-cbc?key=hex'],
    [
      'its padding cut off by the last byte',
      [[unpad, byLastByte]],
      'aes-256-cbc aes-256-cbc?padding=ansix923 aes-256-cbc?padding=iso10126',
    ],
  ];

const configured = parseCipher('aes-256-cbc');

describe('cipher probe of the example in Python', () => {
  const scratch = scratchFolder();
  for (const [title, changes, ciphers] of variants) {
    it(`finds that it decrypts with ${title}, and says what differs with the call for Python`, async () => {
      type Found = { cipher: string; accepted: string[]; diagnosis?: Diagnosis };
      const { output } = await withExample(example, scratch, { changes, needs }, (url) =>
        authcli<Found>(['cipher', 'probe', '--url', `${url}/callback`], scratch),
      );
      const expected = ciphers.split(' ').map((cipher) => formatCipher(parseCipher(cipher)));
      assert.deepEqual(output.accepted, expected, JSON.stringify(output));
      assert.equal(output.cipher, expected[0]);
      const { diagnosis } = output;
      if (output.cipher === formatCipher(configured)) return assert.equal(diagnosis, undefined);
      assert.equal(diagnosis?.code, 'cipher-mismatch');
      const theirs = briefCipher(parseCipher(output.cipher), configured);
      const ours = briefCipher(configured, parseCipher(output.cipher));
      const message = `The application decrypts ${theirs}; authcli (the default) sends ${ours}.`;
      assert.equal(diagnosis.message, message);
      assert.equal(diagnosis.calls.python, decryptionCalls(configured).python);
    });
  }
});
