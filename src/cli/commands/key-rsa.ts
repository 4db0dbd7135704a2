import { join } from 'node:path';
import { exportPrivateKey, exportPublicKey } from '../../crypto/rsa-key.ts';
import { inspectKeyText, type KeyInspection } from '../../diagnosis/key-text.ts';
import { fields } from '../../reports/human.ts';
import { elapsedText } from '../../reports/tally.ts';
import { capitalised, escapeControls } from '../../text.ts';
import { defaulted, required } from '../args/options.ts';
import { keySize } from '../args/values.ts';
import { defineCommand } from '../command.ts';
import type { Failure } from '../failure.ts';
import { writeNewFiles } from '../process/output-file.ts';

export const keyPair = defineCommand({
  path: 'key pair',
  about:
    "Generates an RSA key pair like the service's: private_key.pem (PKCS #8, readable only by you) and public_key.txt, the value that the service sends as public_key.",
  flags: {
    bits: defaulted('--bits <n>', 'size of the modulus', '2048', keySize),
    out: defaulted('--out <folder>', 'the folder for the two files', '.', { input: 'path' }),
  },
  examples: {
    'in a folder of its own': 'authcli key pair --out keys',
    'a larger one': 'authcli key pair --bits 4096 --out keys-4096',
    'use it': 'authcli key generate | authcli key wrap - --public-key @keys/public_key.txt',
  },
  run: async ({ bits, out }, session) => {
    const { context } = session;
    const startedAt = context.now();
    const progress = session.progress(
      () => `Generating a key pair of ${bits} bits, ${elapsedText(context.now() - startedAt)}`,
    );
    const pair = await context.generateKeyPair(bits).finally(() => progress.stop());
    const publicKey = exportPublicKey(pair.publicKey);
    const newFiles = [
      { name: 'private_key.pem', text: exportPrivateKey(pair), secret: true },
      { name: 'public_key.txt', text: `${publicKey}\n` },
    ];
    await writeNewFiles(out, newFiles, '--out', session);
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
          ['private key', escapeControls(files.private)],
          ['public key', escapeControls(files.public)],
          ['fingerprint', pair.publicKey.fingerprint],
        ],
        session.style,
        '',
      ),
    };
  },
});

export const keyInspect = defineCommand({
  path: 'key inspect',
  about:
    "Identifies any key text: its type, its encoding, what's wrong with it, and what it should look like. A private key is recognised but never printed.",
  flags: {
    text: required('<text>', 'the text; "-" reads standard input, @FILE a file', {
      secret: true,
      anyMode: true,
      references: false,
      read: ({ bytes }) => bytes,
    }),
  },
  examples: {
    'the public_key of a request': 'authcli key inspect "$PUBLIC_KEY"',
    'a file': 'authcli key inspect @server.pem',
    'the size, for a script': 'authcli key inspect @public_key.txt --json | jq .bits',
  },
  run: async ({ text }, session) => {
    const inspection = inspectKeyText(text);
    const { kind, algorithm, bits, fingerprint, encoding, notes } = inspection;
    return {
      fields: { kind, algorithm, bits, fingerprint, encoding, notes },
      lines: [
        ...fields(
          [
            ['kind', kind],
            ['algorithm', algorithm],
            ['bits', bits === undefined ? undefined : String(bits)],
            ['encoding', encoding],
            ['fingerprint', fingerprint],
          ],
          session.style,
          '',
        ),
        ...(kind === 'unknown' ? notes.slice(0, -1) : notes).map((note) => `- ${note}`),
      ],
      failure: failureOf(inspection),
    };
  },
});

/** Private keys, per-user keys and wrapped keys are never sent as a public_key. */
const publicKinds: readonly KeyInspection['kind'][] = [
  'public-key',
  'certificate',
  'certificate-request',
];

function failureOf({ kind, notes, usable }: KeyInspection): Failure | undefined {
  if (kind === 'unknown') return unknownText(notes);
  if (usable || !publicKinds.includes(kind)) return undefined;
  return {
    code: 'unknown-text',
    message: `${capitalised(notes.at(-1) ?? "it can't be used as public_key")}.`,
    hint: 'Use an RSA key of 2048 bits or more: a public_key is Base64 of its X.509 SubjectPublicKeyInfo. `authcli key pair` makes one.',
  };
}

/** The last note says why the text is unknown; the others are remarks. */
function unknownText(notes: readonly string[]): Failure {
  return {
    code: 'unknown-text',
    message: `${capitalised(notes.at(-1) ?? 'not a recognised key format')}.`,
    hint: 'A public_key is the Base64 of an X.509 SubjectPublicKeyInfo and begins with "MII"; an enc_partner_key is the Base64 of as many bytes as the RSA modulus has.',
  };
}
