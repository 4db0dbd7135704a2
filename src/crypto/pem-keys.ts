import { readDerKey, type UnreadDer } from './der-keys.ts';
import { ecAlgorithm } from './key-algorithms.ts';
import { type KeyFormat, type KeyStructure, keyStructure } from './key-structure.ts';
import { readOpenSshBlob } from './openssh.ts';
import { type PemBlock, readPemBlocks } from './pem.ts';

/** What each label holds (RFC 7468, and OpenSSL's older ones). */
const labels: Readonly<Record<string, KeyFormat>> = {
  'PUBLIC KEY': 'SubjectPublicKeyInfo',
  'RSA PUBLIC KEY': 'PKCS #1',
  'PRIVATE KEY': 'PKCS #8',
  'ENCRYPTED PRIVATE KEY': 'PKCS #8',
  'RSA PRIVATE KEY': 'PKCS #1',
  'EC PRIVATE KEY': 'SEC 1',
  'DSA PRIVATE KEY': 'traditional DSA',
  CERTIFICATE: 'X.509 certificate',
  'X509 CERTIFICATE': 'X.509 certificate',
  'CERTIFICATE REQUEST': 'PKCS #10 certificate request',
  'NEW CERTIFICATE REQUEST': 'PKCS #10 certificate request',
  'OPENSSH PRIVATE KEY': 'OpenSSH',
};

/** The key of a PEM text: of its private block where it has one, else of the first that holds a key. */
export function readPemKey(text: string): KeyStructure | UnreadDer {
  const blocks = readPemBlocks(text).filter(({ label }) => !/ PARAMETERS$/.test(label));
  const block = blocks.find(isPrivate) ?? blocks.find(({ label }) => label in labels) ?? blocks[0];
  if (block === undefined) {
    return { refusal: { code: 'malformed', reason: 'it is PEM whose header line is damaged' } };
  }
  const read = readBlockKey(block);
  if (!('format' in read)) {
    const kind = isPrivate(block) ? 'private-key' : read.kind;
    return { kind, notes: block.notes, refusal: read.refusal };
  }
  const notes = [...block.notes, ...read.notes, ...labelNotes(block, read)];
  return {
    ...read,
    notes: blocks.length > 1 ? [...notes, severalNote(blocks.length)] : notes,
  };
}

function readBlockKey(block: PemBlock): KeyStructure | UnreadDer {
  const { label, bytes } = block;
  if (label === 'ENCRYPTED PRIVATE KEY' || (isPrivate(block) && block.encrypted)) {
    return encryptedKey(block);
  }
  if (bytes === undefined) {
    return {
      refusal: { code: 'malformed', reason: `it is PEM (${label}) whose body is no Base64` },
    };
  }
  if (label.startsWith('PGP')) {
    return {
      refusal: {
        code: 'not-a-key',
        reason: 'it is an OpenPGP block; the interface knows no OpenPGP',
      },
    };
  }
  return readOpenSshBlob(bytes) ?? readDerKey(bytes);
}

/** RFC 5958 3 or RFC 1421's `Proc-Type: 4,ENCRYPTED`. */
function encryptedKey({ label }: PemBlock): KeyStructure {
  const algorithm =
    label === 'RSA PRIVATE KEY'
      ? ({ algorithm: 'rsa', algorithmName: 'RSA' } as const)
      : label === 'EC PRIVATE KEY'
        ? { algorithm: ecAlgorithm(undefined).algorithm, algorithmName: 'EC' }
        : {};
  return keyStructure('private-key', labels[label] ?? 'PKCS #8', {
    ...algorithm,
    refusal: {
      code: 'encrypted',
      reason:
        'it is a private key encrypted with a passphrase; decrypt it first, such as with openssl pkey',
    },
  });
}

function labelNotes({ label }: PemBlock, { format }: KeyStructure): string[] {
  const announced = labels[label];
  if (announced === format) return [];
  return announced === undefined
    ? [`its PEM label "${label}" is none that keys have; what it holds is ${format}`]
    : [`its PEM label "${label}" stands for ${announced}, but what it holds is ${format}`];
}

function severalNote(count: number): string {
  return `the text holds ${count} PEM blocks; one of them was read`;
}

function isPrivate({ label }: PemBlock): boolean {
  return label.endsWith('PRIVATE KEY');
}
