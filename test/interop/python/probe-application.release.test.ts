import { describeProbes } from '../../support/probed-example.ts';

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

describeProbes('The example in Python', 'python', example, [
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
]);
