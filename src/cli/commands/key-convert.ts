import { extname } from 'node:path';
import type { OpenedPrivateKey } from '../../crypto/key-reading.ts';
import {
  type PrivateKeyFormat,
  privateKeyFormats,
  writeDerKey,
  writeJwk,
  writeKeyStore,
  writePem,
} from '../../crypto/key-writing.ts';
import { severalBlocks } from '../../crypto/pem.ts';
import { fields } from '../../reports/human.ts';
import { counted, escapeControls } from '../../text.ts';
import { privateKeyArgument, privateKeyFlags } from '../args/flags.ts';
import { optional, required, toggle } from '../args/options.ts';
import { choice, secretText } from '../args/values.ts';
import { defineCommand } from '../command.ts';
import { usage } from '../failure.ts';
import { writeOutputFile } from '../process/output-file.ts';

/** By the usual endings of files. */
const endings: Readonly<Record<string, PrivateKeyFormat>> = {
  '.pem': 'pem',
  '.der': 'der',
  '.jwk': 'jwk',
  '.p12': 'p12',
  '.pfx': 'p12',
};

const names: Readonly<Record<PrivateKeyFormat, string>> = {
  pem: 'PEM (PKCS #8)',
  der: 'DER (PKCS #8)',
  jwk: 'JWK',
  p12: 'PKCS #12',
};

export const keyConvert = defineCommand({
  path: 'key convert',
  about:
    'Converts a private key to PEM, DER, JWK or PKCS #12, into a file that only you can read. It reads what --private-key reads, also behind a password. PEM and PKCS #12 keep the chain of certificates.',
  flags: {
    privateKeyPassword: privateKeyFlags.privateKeyPassword,
    privateKeyAlias: privateKeyFlags.privateKeyAlias,
    privateKey: privateKeyArgument,
    out: required('--out <file>', 'the new file', { input: 'path' }),
    to: optional('--to <format>', 'its format; without it, the ending of the file says it', {
      choices: privateKeyFormats,
      parse: choice(privateKeyFormats),
    }),
    outPassword: optional(
      '--out-password <password>',
      'the password of the new file: required for PKCS #12, encrypts PEM and DER',
      { parse: secretText, secret: true },
    ),
    force: toggle('--force', 'overwrite an existing file'),
  },
  needs: ({ out, to }) => (formatOf(out, to) === 'p12' ? ['outPassword'] : []),
  examples: {
    'a key store to PEM':
      'authcli key convert keys.p12 --private-key-password env:KEY_PASSWORD --out key.pem',
    'PEM, with its certificates, to a key store':
      'authcli key convert key.pem --out keys.pfx --out-password env:KEY_PASSWORD',
    'for a library that reads JWK': 'authcli key convert keys/private_key.pem --out key.jwk',
  },
  run: async ({ privateKey, out, to, outPassword, force }, session) => {
    const format = formatOf(out, to);
    const password = outPassword?.reveal();
    if (format === 'jwk' && password !== undefined) {
      throw usage(
        "--out-password: a JWK can't be encrypted here.",
        'Leave the password out, or choose pem, der or p12.',
      );
    }
    const content = write(privateKey, format, password, session.context.randomBytes);
    await writeOutputFile(out, content, '--out', session, {
      flag: force ? 'w' : 'wx',
      mode: 0o600,
      existing: 'Choose another path, or overwrite it with --force.',
    });
    const { key } = privateKey;
    const found = privateKey.certificates.length;
    const certificates = format === 'pem' || format === 'p12' ? found : 0;
    const notes = [
      ...privateKey.notes.filter((note) => note !== severalBlocks(found + 1)),
      ...(certificates < found ? [leftOut(found)] : []),
    ];
    for (const note of notes) session.note(note);
    const encrypted = password !== undefined;
    const { fingerprint } = key.publicKey;
    const described = { file: out, format, encrypted, bits: key.modulusBits, fingerprint };
    return {
      fields: { ...described, certificates, notes },
      lines: fields(
        [
          ['file', escapeControls(out)],
          ['format', `${names[format]}${encrypted ? ', encrypted' : ''}`],
          ['certificates', certificates === 0 ? undefined : String(certificates)],
          ['fingerprint', fingerprint],
        ],
        session.style,
        '',
      ),
    };
  },
});

/** Throws `usage` where neither says it. */
function formatOf(out: string, to: PrivateKeyFormat | undefined): PrivateKeyFormat {
  const format = to ?? endings[extname(out).toLowerCase()];
  if (format !== undefined) return format;
  throw usage(
    `--out: the ending of ${out} names no format of a key.`,
    `Give one with --to: ${privateKeyFormats.join(', ')}.`,
  );
}

function write(
  opened: OpenedPrivateKey,
  format: PrivateKeyFormat,
  password: string | undefined,
  randomBytes: (size: number) => Uint8Array,
): string | Uint8Array {
  switch (format) {
    case 'pem':
      return writePem(opened, password);
    case 'der':
      return writeDerKey(opened.key, password);
    case 'jwk':
      return writeJwk(opened.key);
    case 'p12':
      return writeKeyStore(opened, password ?? '', randomBytes(16));
  }
}

function leftOut(found: number): string {
  return `${counted(found, 'certificate')} left out: PEM and PKCS #12 keep the chain`;
}
