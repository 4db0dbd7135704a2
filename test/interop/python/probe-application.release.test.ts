import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { briefCipher, formatCipher, parseCipher } from '../../../src/crypto/cipher-notation.ts';
import { decryptionCalls } from '../../../src/diagnosis/decryption-calls/index.ts';
import type { Diagnosis } from '../../../src/errors.ts';
import { authcli, scratchFolder, withExample } from '../../support/example-application.ts';

/** The application with another decryption, and the ciphers that `cipher probe` must find, the one first that is named. */
interface Variant {
  readonly title: string;
  readonly changes: readonly (readonly [from: string, to: string])[];
  readonly needs?: string;
  readonly accepted: readonly string[];
}

interface Found {
  readonly cipher: string | null;
  readonly accepted: readonly string[];
  readonly diagnosis?: Diagnosis;
}

const example = {
  folder: 'python',
  file: 'application.py',
  command: ['python3', 'application.py'],
} as const;
const noIv = ['decryptor.update(raw[16:])', 'decryptor.update(raw)'] as const;
const mode = 'modes.CBC(raw[:16])';
const key = 'key.encode()), modes';
const unpad = 'return (unpadder.update(padded) + unpadder.finalize()).decode()';
const gcm = 'from cryptography.hazmat.primitives.ciphers.aead import AESGCM';

const variants: readonly Variant[] = [
  { title: 'what it should', changes: [], accepted: ['aes-256-cbc'] },
  { title: 'ECB', changes: [[mode, 'modes.ECB()'], noIv], accepted: ['aes-256-ecb'] },
  {
    title: 'a zero IV',
    changes: [[mode, 'modes.CBC(bytes(16))'], noIv],
    accepted: ['aes-256-cbc?iv=zero'],
  },
  {
    title: 'GCM',
    changes: [
      [
        'raw = base64.b64decode(payload)',
        'raw = base64.b64decode(payload)\n    return AESGCM(key.encode()).decrypt(raw[:12], raw[12:], None).decode()',
      ],
    ],
    needs: gcm,
    accepted: ['aes-256-gcm'],
  },
  {
    title: 'a key of 128 bits',
    changes: [[key, 'key.encode()[:16]), modes']],
    accepted: ['aes-128-cbc'],
  },
  {
    title: 'the key decoded from hexadecimal',
    changes: [[key, 'bytes.fromhex(key)), modes']],
    accepted: ['aes-128-cbc?key=hex'],
  },
  {
    title: 'its padding cut off by the last byte',
    changes: [[unpad, 'return padded[:-padded[-1]].decode()']],
    accepted: ['aes-256-cbc', 'aes-256-cbc?padding=ansix923', 'aes-256-cbc?padding=iso10126'],
  },
];

const configured = parseCipher('aes-256-cbc');
const canonical = (cipher: string): string => formatCipher(parseCipher(cipher));

describe('cipher probe of the example in Python', () => {
  const scratch = scratchFolder();
  for (const { title, changes, needs, accepted } of variants) {
    it(`finds that it decrypts with ${title}`, async () => {
      const variation = { changes, ...(needs && { needs }) };
      const { output } = await withExample(example, scratch, variation, (url) =>
        authcli<Found>(['cipher', 'probe', '--url', `${url}/callback`], scratch),
      );
      const [first = ''] = accepted;
      assert.deepEqual(output.accepted, accepted.map(canonical), JSON.stringify(output));
      assert.equal(output.cipher, canonical(first));
      assertWeighed(output.diagnosis, first);
    });
  }
});

/** What differs from AES-256-CBC with the IV in front is said, with the call for Python. */
function assertWeighed(found: Diagnosis | undefined, cipher: string): void {
  if (canonical(cipher) === formatCipher(configured)) {
    assert.equal(found, undefined);
    return;
  }
  assert.equal(found?.code, 'cipher-mismatch');
  const theirs = briefCipher(parseCipher(cipher), configured);
  const ours = briefCipher(configured, parseCipher(cipher));
  const message = `The application decrypts ${theirs}; authcli (the default) sends ${ours}.`;
  assert.equal(found.message, message);
  assert.equal(found.calls.python, decryptionCalls(configured).python);
}
