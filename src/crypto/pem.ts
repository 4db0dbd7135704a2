import { decodeBase64Lenient } from '../bytes.ts';

/** One block of PEM (RFC 7468), read as leniently as its readers do, with what they would stumble on. */
export interface PemBlock {
  readonly label: string;
  /** The decoded body; undefined where it isn't Base64. */
  readonly bytes?: Uint8Array;
  /** Whether its headers (RFC 1421 4.6.1.1) say that it is encrypted. */
  readonly encrypted: boolean;
  readonly notes: readonly string[];
}

const beginLine = /(-{2,8}) {0,2}BEGIN ([A-Za-z0-9 #]{1,60}?) {0,2}(-{2,8})/g;
const endLine = /(-{2,8}) {0,2}END ([A-Za-z0-9 #]{1,60}?) {0,2}(-{2,8})/;

/** Whether a text is meant as PEM. */
export function looksLikePem(text: string): boolean {
  return /-{2,8} {0,2}BEGIN [A-Za-z0-9 #]/.test(text);
}

/** The blocks of a text, in their order; none where no header line can be read. */
export function readPemBlocks(text: string): readonly PemBlock[] {
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
    bytes: decodeBody(body),
    encrypted: /ENCRYPTED/.test(headers),
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

function decodeBody(body: string): Uint8Array | undefined {
  const bytes = decodeBase64Lenient(body);
  return bytes !== undefined && bytes.length > 0 ? bytes : undefined;
}

function headerNotes(begin: RegExpMatchArray, label: string): string[] {
  const fiveDashes = begin[1]?.length === 5 && begin[3]?.length === 5;
  const exact = begin[0] === `-----BEGIN ${label}-----`;
  if (exact) return [];
  return [
    fiveDashes
      ? `the PEM header is not exactly "-----BEGIN ${label}-----"`
      : 'the PEM header has not five dashes on each side',
  ];
}

function footerNotes(end: RegExpExecArray | null, label: string): string[] {
  if (end === null)
    return [`the PEM footer "-----END ${label}-----" is missing: the text may be cut`];
  if (end[2] !== label) return [`the PEM footer says "${end[2]}" where the header says "${label}"`];
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
