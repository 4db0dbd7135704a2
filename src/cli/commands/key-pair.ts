import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { KeyBits } from '../../client/key-pair.ts';
import { exportPrivateKey, exportPublicKey } from '../../crypto/rsa-key.ts';
import { fields } from '../../reports/human.ts';
import { elapsedText } from '../../reports/tally.ts';
import { defineCommand } from '../command.ts';
import { usage } from '../hints.ts';
import { defaulted } from '../options.ts';
import { choice } from '../values.ts';

const sizes = ['2048', '3072', '4096'] as const;

export const keyPair = defineCommand({
  path: 'key pair',
  about:
    'Makes an RSA key pair as the service has one: private_key.pem (PKCS #8, readable by you alone) and public_key.txt, the text that the service sends as public_key.',
  flags: {
    bits: defaulted<KeyBits>('--bits <n>', 'size of the modulus', '2048', {
      choices: sizes,
      parse: (text) => Number(choice(sizes)(text)) as KeyBits,
    }),
    out: defaulted('--out <folder>', 'where the two files go', '.', {
      input: 'path',
      candidates: 'folder',
    }),
  },
  examples: [
    { about: 'into a folder of their own', line: 'authcli key pair --out keys' },
    { about: 'a larger one', line: 'authcli key pair --bits 4096 --out keys-4096' },
    {
      about: 'use it',
      line: 'authcli key generate | authcli key wrap - --public-key @keys/public_key.txt',
    },
  ],
  run: async ({ bits, out }, session) => {
    const { context } = session;
    const startedAt = context.now();
    const progress = session.progress(
      () => `Making a key pair of ${bits} bits, ${elapsedText(context.now() - startedAt)}`,
    );
    const pair = await context.generateKeyPair(bits).finally(() => progress.stop());
    const folder = resolve(context.cwd, out);
    const publicKey = exportPublicKey(pair.publicKey);
    await writeNew(folder, [
      { name: 'private_key.pem', text: exportPrivateKey(pair), mode: 0o600 },
      { name: 'public_key.txt', text: `${publicKey}\n`, mode: 0o644 },
    ]);
    const files = { private: join(out, 'private_key.pem'), public: join(out, 'public_key.txt') };
    return {
      fields: {
        bits: pair.modulusBits,
        fingerprint: pair.publicKey.fingerprint,
        public_key: publicKey,
        private_key_file: files.private,
        public_key_file: files.public,
      },
      lines: fields(
        [
          ['private key', files.private],
          ['public key', files.public],
          ['fingerprint', pair.publicKey.fingerprint],
        ],
        session.style,
        '',
      ),
    };
  },
});

interface NewFile {
  readonly name: string;
  readonly text: string;
  readonly mode: number;
}

/** Writes files that aren't there yet; a key that exists is never overwritten. */
async function writeNew(folder: string, files: readonly NewFile[]): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    for (const { name, text, mode } of files) {
      await writeFile(join(folder, name), text, { flag: 'wx', mode });
    }
  } catch (error) {
    throw notWritten(error as NodeJS.ErrnoException);
  }
}

function notWritten({ code, path }: NodeJS.ErrnoException): Error {
  if (code === 'EEXIST') {
    return usage(
      `${path} exists already.`,
      'Keys are never overwritten: name another folder with --out, or move the file away.',
    );
  }
  return usage(
    `--out: ${path ?? 'the folder'} can't be written (${code ?? 'unknown'}).`,
    'Name a folder that you may write to.',
  );
}
