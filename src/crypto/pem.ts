import { decodeBase64Lenient } from '../bytes.ts';
import { foreignBytes } from './foreign-keys.ts';
import {
  type KeyFormat,
  type KeyStructure,
  lockedKey,
  readDerKey,
  type UnreadKey,
} from './key-structure.ts';

/** One block of PEM (RFC 7468), read as leniently as its readers do, with what they would stumble on. */
interface PemBlock {
  readonly label: string;
  /** With its header and footer. */
  readonly text: string;
  /** The decoded body; undefined where it isn't Base64. */
  readonly bytes?: Uint8Array;
  /** Whether its headers (RFC 1421 4.6.1.1) say that it is encrypted. */
  readonly encrypted: boolean;
  readonly notes: readonly string[];
}

const beginLine = /-{2,8} {0,2}BEGIN ([A-Za-z0-9 #]{1,60}?) {0,2}-{2,8}/g;
const endLine = /-{2,8} {0,2}END [A-Za-z0-9 #]{1,60}? {0,2}-{2,8}/;

/** Whether a text is PEM, perhaps damaged. */
export function looksLikePem(text: string): boolean {
  return /-{2,8} {0,2}BEGIN [A-Za-z0-9 #]/.test(text);
}

/** The blocks of a text, in their order; none where no header line can be read. */
function readPemBlocks(text: string): readonly PemBlock[] {
  const begins = [...text.matchAll(beginLine)];
  return begins.map((begin, index) => {
    const start = begin.index + begin[0].length;
    const rest = text.slice(start, begins[index + 1]?.index);
    const label = (begin[1] ?? '').toUpperCase();
    const end = endLine.exec(rest);
    const inside = rest.slice(0, end?.index);
    const { headers, body } = splitHeaders(inside);
    return {
      label,
      text: `${begin[0]}${inside}${end?.[0] ?? ''}`,
      bytes: decodeBase64Lenient(body),
      encrypted: /ENCRYPTED/.test(headers),
      notes: [...lineNotes(label, begin[0], end?.[0]), ...bodyNotes(body)],
    };
  });
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

function lineNotes(label: string, begin: string, end: string | undefined): string[] {
  const [header, footer] = [`-----BEGIN ${label}-----`, `-----END ${label}-----`];
  return [
    ...(begin === header ? [] : [`the PEM header is not exactly "${header}"`]),
    ...(end === undefined ? [`the PEM footer "${footer}" is missing: the text may be cut`] : []),
    ...(end === undefined || end === footer ? [] : [`the PEM footer is not exactly "${footer}"`]),
  ];
}

function bodyNotes(body: string): string[] {
  const isBetweenLines = /^[ \t]*[\r\n]/.test(body) && /[\r\n][ \t]*$/.test(body.slice(-100));
  return isBetweenLines ? [] : ['the PEM has no line breaks after its header or before its footer'];
}

/** What each label contains (RFC 7468, and OpenSSL's older ones). */
const labels: Readonly<Record<string, KeyFormat>> = {
  'PUBLIC KEY': 'SubjectPublicKeyInfo',
  'RSA PUBLIC KEY': 'PKCS #1',
  'PRIVATE KEY': 'PKCS #8',
  'ENCRYPTED PRIVATE KEY': 'PKCS #8',
  'RSA PRIVATE KEY': 'PKCS #1',
  'EC PRIVATE KEY': 'SEC 1',
  CERTIFICATE: 'X.509 certificate',
  'X509 CERTIFICATE': 'X.509 certificate',
  'CERTIFICATE REQUEST': 'PKCS #10 certificate request',
  'NEW CERTIFICATE REQUEST': 'PKCS #10 certificate request',
};

/** The key of a PEM text: of its private block where it has one, else of the first that contains a key. */
export function readPemKey(text: string): KeyStructure | UnreadKey {
  const everyBlock = readPemBlocks(text);
  const blocks = everyBlock.filter(({ label }) => !label.endsWith(' PARAMETERS'));
  const block = blocks.find(isPrivate) ?? blocks.find(({ label }) => label in labels) ?? blocks[0];
  if (block === undefined) {
    return {
      refusal: everyBlock[0]
        ? { code: 'not-a-key', reason: `it is PEM of parameters (${everyBlock[0].label})` }
        : { code: 'malformed', reason: 'it is PEM whose header line is damaged' },
    };
  }
  const read = readBlockKey(block);
  const several =
    blocks.length > 1 ? [`the text contains ${blocks.length} PEM blocks; only one was read`] : [];
  const notes = [...block.notes, ...(read.notes ?? []), ...labelNotes(block, read), ...several];
  return { ...read, notes, kind: isPrivate(block) ? 'private-key' : read.kind } as typeof read;
}

function readBlockKey(block: PemBlock): KeyStructure | UnreadKey {
  const { label, text, bytes } = block;
  if (isPrivate(block) && block.encrypted) return lockedKey(text);
  if (bytes === undefined || bytes.length === 0) {
    const reason = `it is PEM (${label}) whose body is not Base64`;
    return { refusal: { code: 'malformed', reason } };
  }
  if (label.startsWith('PGP')) {
    const reason = 'it is an OpenPGP block; the interface knows no OpenPGP';
    return { refusal: { code: 'not-a-key', reason } };
  }
  return foreignBytes(bytes) ?? readDerKey(bytes);
}

function labelNotes({ label }: PemBlock, read: KeyStructure | UnreadKey): string[] {
  if (!('format' in read) || read.locked !== undefined || labels[label] === read.format) return [];
  const means = labels[label] === undefined ? 'is not used for keys' : `means ${labels[label]}`;
  return [`its PEM label "${label}" ${means}; it contains ${read.format}`];
}

function isPrivate({ label }: PemBlock): boolean {
  return label.endsWith('PRIVATE KEY');
}
