import { decodeBase64Lenient, encodeBase64 } from '../bytes.ts';
import { readDerKey, type UnreadDer } from './der-keys.ts';
import { foreignBytes } from './foreign-keys.ts';
import {
  ecAlgorithm,
  encryptedKey,
  type KeyFormat,
  type KeyStructure,
  keyStructure,
  rsa,
} from './key-structure.ts';

/** One block of PEM (RFC 7468), read as leniently as its readers do, with what they would stumble on. */
interface PemBlock {
  readonly label: string;
  /** The decoded body; undefined where it isn't Base64. */
  readonly bytes?: Uint8Array;
  /** Whether its headers (RFC 1421 4.6.1.1) say that it is encrypted. */
  readonly encrypted: boolean;
  /** The value of its `DEK-Info` (RFC 1421 4.6.1.3). */
  readonly info?: string;
  readonly notes: readonly string[];
}

const beginLine = /(-{2,8}) {0,2}BEGIN ([A-Za-z0-9 #]{1,60}?) {0,2}(-{2,8})/g;
const endLine = /(-{2,8}) {0,2}END ([A-Za-z0-9 #]{1,60}?) {0,2}(-{2,8})/;

/** Whether a text is PEM, perhaps damaged. */
export function looksLikePem(text: string): boolean {
  return /-{2,8} {0,2}BEGIN [A-Za-z0-9 #]/.test(text);
}

/** The blocks of a text, in their order; none where no header line can be read. */
function readPemBlocks(text: string): readonly PemBlock[] {
  const begins = [...text.matchAll(beginLine)];
  return begins.map((begin, index) => {
    const start = begin.index + begin[0].length;
    const next = begins[index + 1]?.index ?? text.length;
    return readBlock(begin, text.slice(start, next));
  });
}

function readBlock(begin: RegExpMatchArray, rest: string): PemBlock {
  const label = (begin[2] ?? '').toUpperCase();
  const end = endLine.exec(rest);
  const { headers, body } = splitHeaders(end === null ? rest : rest.slice(0, end.index));
  return {
    label,
    bytes: decodeBase64Lenient(body),
    encrypted: /ENCRYPTED/.test(headers),
    info: /^DEK-Info:(.*)$/m.exec(headers)?.[1],
    notes: [...headerNotes(begin, label), ...footerNotes(end, label), ...bodyNotes(body)],
  };
}

/** RFC 7468 knows no headers; RFC 1421's are `Name: value` lines before an empty line. */
function splitHeaders(inside: string): { headers: string; body: string } {
  const lines = inside.split(/\r\n|\r|\n/);
  const isHeader = (line: string) => /^[A-Za-z][A-Za-z0-9-]{0,40}:/.test(line);
  return {
    headers: lines.filter(isHeader).join('\n'),
    body: lines.filter((line) => !isHeader(line)).join('\n'),
  };
}

function headerNotes(begin: RegExpMatchArray, label: string): string[] {
  const exact = `-----BEGIN ${label}-----`;
  if (begin[0] === exact) return [];
  const hasFiveDashes = begin[1]?.length === 5 && begin[3]?.length === 5;
  return hasFiveDashes
    ? [`the PEM header is not exactly "${exact}"`]
    : ['the PEM header has not five dashes on each side'];
}

function footerNotes(end: RegExpExecArray | null, label: string): string[] {
  if (end === null)
    return [`the PEM footer "-----END ${label}-----" is missing: the text may be cut`];
  if (end[2] !== label) return [`the PEM footer is "${end[2]}" but the header is "${label}"`];
  return end[0] === `-----END ${label}-----`
    ? []
    : ['the PEM footer has not five dashes on each side'];
}

function bodyNotes(body: string): string[] {
  const before = body.slice(0, body.length - body.trimStart().length);
  const after = body.slice(body.trimEnd().length);
  const onOneLine = ![before, after].every((space) => /[\r\n]/.test(space));
  return [
    ...(onOneLine ? ['the PEM has no line breaks after its header or before its footer'] : []),
    ...(/[-_]/.test(body) ? ['the PEM body is Base64url, not Base64'] : []),
  ];
}

/** What each label contains (RFC 7468, and OpenSSL's older ones). */
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

/** The key of a PEM text: of its private block where it has one, else of the first that contains a key. */
export function readPemKey(text: string): KeyStructure | UnreadDer {
  const everyBlock = readPemBlocks(text);
  const blocks = everyBlock.filter(({ label }) => !/ PARAMETERS$/.test(label));
  const block = blocks.find(isPrivate) ?? blocks.find(({ label }) => label in labels) ?? blocks[0];
  if (block === undefined && everyBlock[0] !== undefined) {
    const reason = `it is PEM of parameters (${everyBlock[0].label}), which contain no key`;
    return { refusal: { code: 'not-a-key', reason } };
  }
  if (block === undefined) {
    return { refusal: { code: 'malformed', reason: 'it is PEM whose header line is damaged' } };
  }
  const read = readBlockKey(block);
  if (!('format' in read)) {
    const kind = isPrivate(block) ? 'private-key' : read.kind;
    return { kind, notes: block.notes, refusal: read.refusal };
  }
  const notes = [...block.notes, ...read.notes, ...labelNotes(block, read)];
  if (blocks.length === 1) return { ...read, notes };
  const all = blocks.map(readBlockKey).filter((one) => 'format' in one);
  return { ...read, blocks: all, notes: [...notes, severalBlocks(blocks.length)] };
}

/** For who uses the one key alone. */
export function severalBlocks(count: number): string {
  return `the text contains ${count} PEM blocks; only one was read`;
}

function readBlockKey(block: PemBlock): KeyStructure | UnreadDer {
  const { label, bytes } = block;
  if (bytes === undefined || bytes.length === 0) {
    const reason = `it is PEM (${label}) whose body is not Base64`;
    return { refusal: { code: 'malformed', reason } };
  }
  if (isPrivate(block) && block.encrypted) return encryptedBlock(block, bytes);
  if (label.startsWith('PGP')) {
    const reason = 'it is an OpenPGP block; the interface knows no OpenPGP';
    return { refusal: { code: 'not-a-key', reason } };
  }
  return foreignBytes(bytes) ?? readDerKey(bytes);
}

/** RFC 1421's `Proc-Type: 4,ENCRYPTED`. */
function encryptedBlock({ label, info }: PemBlock, bytes: Uint8Array): KeyStructure {
  const named = {
    ...(label === 'RSA PRIVATE KEY' && rsa),
    ...(label === 'EC PRIVATE KEY' && ecAlgorithm(undefined)),
  };
  const reason = 'it is an encrypted private key without the DEK-Info that names its cipher';
  return keyStructure('private-key', labels[label] ?? 'PKCS #1', {
    ...named,
    ...(info !== undefined && { locked: encryptedPem(label, info, bytes) }),
    refusal: info === undefined ? { code: 'malformed', reason } : encryptedKey,
  });
}

/** The block as OpenSSL writes it, whatever it looked like. */
function encryptedPem(label: string, info: string, bytes: Uint8Array): string {
  const body = encodeBase64(bytes).replace(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN ${label}-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: ${info.trim()}\n\n${body}\n-----END ${label}-----\n`;
}

function labelNotes({ label }: PemBlock, { format }: KeyStructure): string[] {
  const announced = labels[label];
  if (announced === format) return [];
  return announced === undefined
    ? [`its PEM label "${label}" is not used for keys; it contains ${format}`]
    : [`its PEM label "${label}" means ${announced}, but it contains ${format}`];
}

function isPrivate({ label }: PemBlock): boolean {
  return label.endsWith('PRIVATE KEY');
}
