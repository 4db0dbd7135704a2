import { join } from 'node:path';
import { generatePerUserKey } from '../../crypto/per-user-key.ts';
import { exportPrivateKey, exportPublicKey } from '../../crypto/rsa-key.ts';
import { fingerprintOfKey } from '../../crypto/secret.ts';
import { fields } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { flag } from '../args/options.ts';
import { keySizes } from '../args/values.ts';
import { defineCommand } from '../command.ts';
import { writeNewFiles } from '../process/output-file.ts';

export const keyGenerate = defineCommand({
  path: 'key generate',
  about: 'Generates a per-user key as an application must: a random string of 32 characters (2.2).',
  flags: {},
  examples: {
    'a key': 'authcli key generate',
    'for a script': 'authcli key generate --json | jq -r .key',
  },
  run: async (_, { context }) => {
    const key = generatePerUserKey(context.randomBytes);
    return {
      fields: { key: reveal(key), key_fingerprint: fingerprintOfKey(key) },
      lines: [reveal(key)],
    };
  },
});

export const keyPair = defineCommand({
  path: 'key pair',
  about:
    "Generates an RSA key pair like the service's: private_key.pem (PKCS #8, readable only by you) and public_key.txt, the value that the service sends as public_key.",
  flags: {
    bits: flag('--bits <n>', 'size of the modulus', { fallback: '2048', choices: keySizes }),
    out: flag('--out <folder>', 'the folder for the two files', { fallback: '.', input: 'path' }),
  },
  examples: {
    'in a folder of its own': 'authcli key pair --out keys',
    'use it': 'authcli key generate | authcli key wrap - --public-key @keys/public_key.txt',
  },
  run: async ({ bits, out }, session) => {
    const { context } = session;
    const startedAt = context.now();
    const progress = session.progress(() => {
      const elapsed = Math.floor((context.now() - startedAt) / 1000);
      return `Generating a key pair of ${bits} bits, ${elapsed} s so far`;
    });
    const pair = await context.generateKeyPair(bits).finally(() => progress.stop());
    const publicKey = exportPublicKey(pair.publicKey);
    const newFiles = [
      { name: 'private_key.pem', text: exportPrivateKey(pair), secret: true },
      { name: 'public_key.txt', text: `${publicKey}\n` },
    ];
    await writeNewFiles(out, newFiles, session);
    const files = { private: join(out, 'private_key.pem'), public: join(out, 'public_key.txt') };
    const rows = [
      ['private key', escapeControls(files.private)],
      ['public key', escapeControls(files.public)],
      ['fingerprint', pair.publicKey.fingerprint],
    ] as const;
    return {
      fields: {
        bits: pair.modulusBits,
        fingerprint: pair.publicKey.fingerprint,
        public_key: publicKey,
        private_key_file: files.private,
        public_key_file: files.public,
      },
      lines: fields(rows, session.style, ''),
    };
  },
});
