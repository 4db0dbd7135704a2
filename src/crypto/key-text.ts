import { decodeBase64Lenient } from '../bytes.ts';
import { readDerElement } from './der.ts';
import {
  type KeyFormat,
  type KeyKind,
  type KeyRefusal,
  type KeyStructure,
  lockedKey,
  looksLikeDer,
  readDerKey,
  readJwk,
  type UnreadKey,
} from './key-structure.ts';
import { type Base64Layer, type Layer, parseJson, peel } from './text-layers.ts';

/** How a text is encoded, in the words of `key inspect`, and in those of its notes. */
const encodingNames = {
  base64: 'Base64',
  pem: 'PEM',
  base64url: 'Base64url',
  hex: 'hexadecimal',
  'double-base64': 'Base64',
  jwk: 'a JWK',
  openssh: 'OpenSSH text',
  der: 'DER',
  xml: 'XML',
} as const;

export type KeyEncoding = keyof typeof encodingNames;

/** What a text was recognised as: the key it contains, or why it contains none. */
export interface KeyRecognition {
  /** The outermost encoding of bytes; absent for text that encodes nothing. */
  readonly encoding?: KeyEncoding;
  readonly key?: KeyStructure;
  /** What the text seems to be, also where it can't be read. */
  readonly kind?: KeyKind;
  /** What a strict reader would stumble on, outermost first, as sentences without a full stop. */
  readonly notes: readonly string[];
  readonly refusal?: KeyRefusal;
  /** The innermost bytes that an encoding gave, where they are not a key. */
  readonly bytes?: Uint8Array;
}

/** No key, certificate or chain is as long; longer input isn't read. */
const longestText = 256 * 1024;

/**
 * Recognises the key in any text or file that the user has, private keys included, through up to
 * eight layers of encoding. Never throws, and never takes a secret into its notes.
 */
export function recogniseKey(input: string | Uint8Array): KeyRecognition {
  if (input.length > longestText) {
    const unit = typeof input === 'string' ? 'characters' : 'bytes';
    const reason = `it is ${input.length} ${unit} long, far too long for a key`;
    return { notes: [], refusal: { code: 'too-long', reason } };
  }
  const encodings: KeyEncoding[] = [];
  const hasMark = typeof input === 'string' && input.startsWith('\ufeff');
  const notes = hasMark ? ['it begins with a byte order mark'] : [];
  let text = '';
  /** The outermost bytes, where nothing in them is a key. */
  let decoded: KeyRecognition | undefined;
  for (const layer of peel(typeof input === 'string' ? input.trim() : input, keyTexts)) {
    notes.push(...notesOf(layer));
    if (layer.layer === 'hex') encodings.push('hex');
    if (layer.layer === 'base64') encodings.push(layer.isUrl ? 'base64url' : 'base64');
    const { content } = layer;
    if (typeof content !== 'string') {
      const key =
        foreignBytes(content) ?? (looksLikeDer(content) ? readDerKey(content) : undefined);
      if (key !== undefined)
        return conclude(key, encodings.length > 0 ? encodings : ['der'], notes);
      decoded ??= noKey(content, encodings, notes);
      continue;
    }
    const form = readKeyForm(content);
    if (form !== undefined) return conclude(form.read, [...encodings, form.encoding], notes);
    if (encodings.length === 0) decoded = undefined; // it was a file of text
    text = content;
  }
  return decoded ?? { encoding: nameEncoding(encodings), notes, refusal: notAKey(text) };
}

/** The fields in which services and applications send a public key; the interface's own is the first (4.1.1). */
const keyFields = ['public_key', 'publicKey', 'pubkey', 'public-key', 'key'];

const keyTexts = {
  fields: keyFields,
  isExpected: isWholeDer,
  // a few words are digits of Base64 and spaces too; the shortest key, of Ed25519, has 60 digits
  isProse: (text: string) => text.includes(' ') && text.length < 60,
};

function isWholeDer(bytes: Uint8Array): boolean {
  const reading = readDerElement(bytes);
  return reading.ok && reading.element.encoded.length === bytes.length;
}

/** What a strict reader would stumble on. */
function notesOf(layer: Layer): readonly string[] {
  switch (layer.layer) {
    case 'input':
      return [];
    case 'text':
      return layer.isUtf16 ? ['the text is UTF-16, not ASCII or UTF-8'] : [];
    case 'field':
      return [fieldNote(layer.name)];
    case 'assignment':
      return [`the name "${layer.name}" is before it`];
    case 'base64':
      return base64Notes(layer);
    default:
      return [layerNotes[layer.layer]];
  }
}

const layerNotes = {
  quotes: 'it is in quotes',
  escapes: 'its escapes (such as \\/ or \\n) are still in it: read it as JSON first',
  percent: 'it is percent-encoded, as in a URL or a form',
  list: 'it is a list of numbers, one for each byte',
  decimal: 'it is a decimal number',
  hex: 'it is hexadecimal, not Base64',
} as const;

function base64Notes({ whiteSpace, isUrl, padding, hasInnerPadding }: Base64Layer): string[] {
  if (whiteSpace === 'plus') {
    return ['it has spaces where "+" belongs, as a form decoder leaves them'];
  }
  const { present, wanted } = padding;
  return [
    ...(whiteSpace ? ['it has line breaks or spaces inside'] : []),
    ...(isUrl ? ['it is Base64url, not Base64'] : []),
    ...(hasInnerPadding ? ['it has "=" in its middle: a strict reader stops there'] : []),
    ...(hasInnerPadding || present === wanted
      ? []
      : [`it has ${present} "=" at its end where ${wanted ?? 'another digit'} belong`]),
  ];
}

function fieldNote(name: string): string {
  return `it is the field "${name}" of JSON`;
}

function conclude(
  read: KeyStructure | UnreadKey,
  encodings: readonly KeyEncoding[],
  outer: readonly string[],
): KeyRecognition {
  const { kind, refusal, notes: own = [] } = read;
  const isKey = 'format' in read;
  const layers = `it is encoded more than once: ${nameLayers(encodings)}`;
  const notes = [...outer, ...(isKey && encodings.length > 1 ? [layers] : []), ...own];
  return { encoding: nameEncoding(encodings), key: isKey ? read : undefined, kind, notes, refusal };
}

function noKey(
  bytes: Uint8Array,
  encodings: readonly KeyEncoding[],
  notes: readonly string[],
): KeyRecognition {
  const reason = `read as ${nameLayers(encodings) || 'a file'} it is ${bytes.length} bytes that are not a key`;
  const refusal = { code: 'not-a-key', reason } as const;
  return { encoding: nameEncoding(encodings), notes: [...notes], refusal, bytes };
}

/** Base64 of Base64 or of PEM is `double-base64`; otherwise the outermost encoding names the whole. */
function nameEncoding([outer, inner]: readonly KeyEncoding[]): KeyEncoding | undefined {
  const isBase64 = outer === 'base64' || outer === 'base64url';
  return isBase64 && inner !== undefined ? 'double-base64' : outer;
}

/** The layers, outermost first: "Base64 of PEM". */
function nameLayers(encodings: readonly KeyEncoding[]): string {
  return encodings.map((encoding) => encodingNames[encoding]).join(' of ');
}

function notAKey(text: string): KeyRefusal {
  if (text === '') return { code: 'empty', reason: 'it is empty' };
  const reason = text.startsWith('0\ufffd')
    ? 'it is a binary DER file that was read as text, which destroyed it'
    : 'it is not a key in any form known here';
  return { code: 'not-a-key', reason };
}

/** Reads a text that is itself a form of key: JWK, PEM, or another program's; undefined for any other. */
function readKeyForm(text: string) {
  const jwk = text.startsWith('{') ? jwkIn(parseJson(text)) : undefined;
  if (jwk !== undefined) return { encoding: 'jwk', read: jwk } as const;
  if (isPem(text)) return { encoding: 'pem', read: readPemKey(text) } as const;
  return foreignText(text);
}

function jwkIn(value: unknown): KeyStructure | undefined {
  const own = readJwk(value);
  if (own !== undefined || typeof value !== 'object' || value === null) return own;
  for (const name of keyFields) {
    const jwk = readJwk(Reflect.get(value, name));
    if (jwk !== undefined) return { ...jwk, notes: [fieldNote(name), ...jwk.notes] };
  }
  return undefined;
}

/** In JSON, quotes or unread escapes, PEM has another layer around it; RFC 4716 only looks like PEM. */
function isPem(text: string): boolean {
  return (
    looksLikePem(text) &&
    !/^[{["'`]/.test(text) &&
    !/\\[nr]/.test(text) &&
    !text.includes('BEGIN SSH2 PUBLIC')
  );
}

const beginLine = /-{2,8} {0,2}BEGIN ([A-Za-z0-9 #]{1,60}?) {0,2}-{2,8}/g;
const endLine = /-{2,8} {0,2}END [A-Za-z0-9 #]{1,60}? {0,2}-{2,8}/;

/** Whether a text is PEM, perhaps damaged. */
export function looksLikePem(text: string): boolean {
  return /-{2,8} {0,2}BEGIN [A-Za-z0-9 #]/.test(text);
}

type PemBlock = ReturnType<typeof readPemBlocks>[number];

/**
 * The blocks (RFC 7468) of a text, in their order, read as leniently as its readers do, with what they would stumble
 * on; none where no header line can be read.
 */
function readPemBlocks(text: string) {
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
      // RFC 1421 4.6.1.1
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

/*
 * Forms of other programs, which are only named, with the command that converts them.
 */

function named(kind: 'private-key' | 'public-key', name: string, command: string): UnreadKey {
  const reason = `it is ${name}; \`${command}\` converts it`;
  return { kind, refusal: { code: 'malformed', reason } };
}

const openSshPublic = named(
  'public-key',
  "a public key in OpenSSH's own format",
  'ssh-keygen -e -m PKCS8 -f FILE',
);

const openSshPrivate = named(
  'private-key',
  "a private key in OpenSSH's own format",
  'ssh-keygen -p -m PEM -f FILE',
);

const putty = named(
  'private-key',
  "a private key in PuTTY's own format",
  'puttygen FILE -O private-openssh -o id && ssh-keygen -p -m PEM -f id',
);

const ssh2 = named(
  'public-key',
  'a public key of SSH (RFC 4716)',
  'ssh-keygen -i -f FILE > id.pub && ssh-keygen -e -m PKCS8 -f id.pub',
);

const dotNet = "an RSA key in .NET's XML form";
const load = 'rsa.FromXmlString(xml); rsa.Export';
const privateXml = named('private-key', dotNet, `${load}Pkcs8PrivateKeyPem()`);
const publicXml = named('public-key', dotNet, `${load}SubjectPublicKeyInfoPem()`);

const texts: readonly (readonly [RegExp, 'openssh' | 'xml', UnreadKey])[] = [
  [/^PuTTY-User-Key-File-/, 'openssh', putty],
  [/---- BEGIN SSH2 PUBLIC KEY ----/, 'openssh', ssh2],
  // RFC 4253 6.6, with options before it too
  [
    /(?:^|\s)(?:ssh-|ecdsa-sha2-|sk-)[\w@.-]{1,50}\s+AAAA[A-Za-z0-9+/]{12}/,
    'openssh',
    openSshPublic,
  ],
  [/<RSAKeyValue>(?:(?!<RSAKeyValue>)[\s\S])*<D>/, 'xml', privateXml],
  [/<RSAKeyValue>/, 'xml', publicXml],
];

/** What a text of another program's form is; undefined for any other text. */
export function foreignText(text: string) {
  const [, encoding, read] = texts.find(([pattern]) => pattern.test(text)) ?? [];
  return encoding && read && { encoding, read };
}

/** The same of bytes: key stores, and what OpenSSH writes in Base64. */
export function foreignBytes(bytes: Uint8Array): UnreadKey | undefined {
  const head = Buffer.from(bytes.subarray(0, 64));
  const start = head.toString('latin1');
  if (start.startsWith('openssh-key-v1\0')) return openSshPrivate;
  // RFC 4253 6.6: a string, the length before it, with the type of the key
  if (/^\0\0\0.(?:ssh-|ecdsa-sha2-|sk-)/s.test(start)) return openSshPublic;
  const hex = head.toString('hex');
  // RFC 7292 4: version 3 and a SEQUENCE, also with BER's indefinite length
  if (/^30(?:[0-7].|80|81..|82.{4}|83.{6}|84.{8})02010330/.test(hex)) return pkcs12;
  const [, type] = javaStores.find(([magic]) => magic.test(hex)) ?? [];
  return type && javaStore(type);
}

const pkcs12Line = (file: string) => `openssl pkcs12 -in ${file} -nodes -out key.pem`;

const pkcs12: UnreadKey = {
  kind: 'key-store',
  refusal: {
    code: 'key-store',
    reason: 'it is a PKCS #12 key store',
    fix: (file) =>
      `Take the key out of it: \`${pkcs12Line(file)}\`, with -legacy where it is an old one; or only the certificate, with -nokeys -clcerts instead of -nodes.`,
  },
};

/** By magic number and version; Bouncy Castle's by version and the length of the salt. */
const javaStores = [
  [/^feedfeed0000000[12]/, 'JKS'],
  [/^cececece0000000[12]/, 'JCEKS'],
  [/^0000000[12]00000014/, 'BKS'],
] as const;

function javaStore(type: 'JKS' | 'JCEKS' | 'BKS'): UnreadKey {
  const provider =
    ' -providerclass org.bouncycastle.jce.provider.BouncyCastleProvider -providerpath bcprov.jar';
  const target = `-destkeystore keys.p12 -deststoretype PKCS12${type === 'BKS' ? provider : ''}`;
  return {
    kind: 'key-store',
    refusal: {
      code: 'key-store',
      reason: `it is a ${type} key store, which only Java opens`,
      fix: (file) =>
        `Convert it: \`keytool -importkeystore -srckeystore ${file} -srcstoretype ${type} ${target} && ${pkcs12Line('keys.p12')}\`.`,
    },
  };
}
