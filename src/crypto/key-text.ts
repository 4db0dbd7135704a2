import { decodeBase64Lenient } from '../bytes.ts';
import { hasControls } from '../text.ts';
import { looksLikeDer, readDerKey, type UnreadDer } from './der-keys.ts';
import { readJwk } from './jwk.ts';
import { decodeText, peelKeyText, trimText } from './key-layers.ts';
import { readJavaKeyStore } from './key-stores.ts';
import {
  type KeyKind,
  type KeyRefusal,
  type KeyStructure,
  keyStructure,
  rsa,
} from './key-structure.ts';
import { readOpenSshBlob, readOpenSshText } from './openssh.ts';
import { looksLikePem, readPemKey } from './pem.ts';
import { toBigInt } from './rsa-key.ts';
import { judgeNumbers } from './rsa-structures.ts';
import { parseJson } from './text-layers.ts';

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
  /** Absent where no key can be read. */
  readonly key?: KeyStructure;
  /** What the text seems to be, also where it can't be read. */
  readonly kind?: KeyKind;
  /** What a strict reader would stumble on, outermost first, as sentences without a full stop. */
  readonly notes: readonly string[];
  /** Why the key can't be used, or isn't one. */
  readonly refusal?: KeyRefusal;
  /** The innermost bytes that an encoding gave, where they are not a key. */
  readonly bytes?: Uint8Array;
}

/** No key, certificate or chain is as long; longer input isn't read. */
const longestText = 256 * 1024;

/** The layers taken off so far, outermost first. */
interface Unwrapped {
  readonly encodings: readonly KeyEncoding[];
  readonly notes: readonly string[];
}

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
  const isBinary =
    typeof input !== 'string' &&
    [looksLikeDer(input), readOpenSshBlob(input), readJavaKeyStore(input)].some(Boolean);
  return recognise(input, { encodings: isBinary ? ['der'] : [], notes: [] });
}

function recognise(content: string | Uint8Array, outer: Unwrapped, layersLeft = 8): KeyRecognition {
  return typeof content === 'string'
    ? recogniseText(content, outer, layersLeft)
    : recogniseBytes(content, outer, layersLeft);
}

function recogniseText(content: string, outer: Unwrapped, layersLeft: number): KeyRecognition {
  const { text, notes: own } = trimText(content);
  const notes = [...outer.notes, ...own];
  const found = text === '' ? undefined : readKeyForm(text);
  if (found !== undefined) {
    return conclude(found.read, { encodings: [...outer.encodings, found.encoding], notes });
  }
  const peeled = text !== '' && layersLeft > 0 ? peelKeyText(text) : undefined;
  if (peeled === undefined) {
    return { encoding: nameEncoding(outer.encodings), notes, refusal: notAKey(text) };
  }
  const inner = {
    encodings: peeled.encoding ? [...outer.encodings, peeled.encoding] : outer.encodings,
    notes: [...notes, ...peeled.notes],
  };
  return recognise(peeled.content, inner, layersLeft - 1);
}

function recogniseBytes(bytes: Uint8Array, outer: Unwrapped, layersLeft: number): KeyRecognition {
  const blob = readOpenSshBlob(bytes) ?? readJavaKeyStore(bytes);
  if (blob !== undefined) return conclude(blob, outer);
  if (looksLikeDer(bytes)) return conclude(readDerKey(bytes), outer);
  const { encodings, notes } = outer;
  const decoded = decodeText(bytes);
  const isText = decoded !== undefined && !hasControls(decoded.text.replace(/[\t\n\r]/g, ''));
  if (isText) {
    const text = { encodings, notes: [...notes, ...decoded.notes] };
    const inner = recognise(decoded.text, text, layersLeft);
    if (encodings.length === 0 || inner.refusal?.code !== 'not-a-key') return inner;
  }
  const reason = `read as ${nameLayers(encodings) || 'a file'} it is ${bytes.length} bytes that are not a key`;
  return {
    encoding: nameEncoding(encodings),
    notes,
    refusal: { code: 'not-a-key', reason },
    bytes,
  };
}

function conclude(read: KeyStructure | UnreadDer, outer: Unwrapped): KeyRecognition {
  const encoding = nameEncoding(outer.encodings);
  const { kind, refusal, notes: own = [] } = read;
  if (!('format' in read)) return { encoding, kind, notes: [...outer.notes, ...own], refusal };
  const layers = `it is encoded more than once: ${nameLayers(outer.encodings)}`;
  const layered = outer.encodings.length > 1 ? [layers] : [];
  return { encoding, key: read, kind, notes: [...outer.notes, ...layered, ...own], refusal };
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

interface KeyForm {
  readonly encoding: 'jwk' | 'pem' | 'openssh' | 'xml';
  readonly read: KeyStructure | UnreadDer;
}

/** Reads a text that is itself a form of key: JWK, PEM, OpenSSH, PuTTY, XML; undefined for any other. */
function readKeyForm(text: string): KeyForm | undefined {
  const jwk = text.startsWith('{') ? readJwk(parseJson(text)) : undefined;
  if (jwk !== undefined) return { encoding: 'jwk', read: jwk };
  if (isPem(text)) return { encoding: 'pem', read: readPemKey(text) };
  const openSsh = readPutty(text) ?? readOpenSshText(text);
  if (openSsh !== undefined) return { encoding: 'openssh', read: openSsh };
  const xml = readXmlKey(text);
  return xml && { encoding: 'xml', read: xml };
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

/** PuTTY's own file contains the private key beside the public one. */
function readPutty(text: string): KeyStructure | undefined {
  if (!text.startsWith('PuTTY-User-Key-File-')) return undefined;
  const reason =
    "it is a private key in PuTTY's own format; puttygen -O private-openssh and ssh-keygen -p -m PEM turn it into PKCS #1";
  return keyStructure('private-key', 'PuTTY', { refusal: { code: 'malformed', reason } });
}

/** The key of .NET's `ToXmlString` (RSAKeyValue, XML Signature 4.5.2.2); undefined for any other text. */
function readXmlKey(text: string): KeyStructure | undefined {
  if (!text.includes('RSAKeyValue')) return undefined;
  const modulus = readElement(text, 'Modulus');
  const exponent = readElement(text, 'Exponent');
  if (modulus === undefined || exponent === undefined) return undefined;
  const kind = /<D>/.test(text) ? 'private-key' : 'public-key';
  const judged = judgeNumbers(modulus, toBigInt(exponent));
  return keyStructure(kind, 'XML', { ...rsa, ...judged });
}

function readElement(text: string, name: string): Uint8Array | undefined {
  const start = text.indexOf(`<${name}>`);
  const end = text.indexOf(`</${name}>`, start);
  if (start < 0 || end < 0) return undefined;
  return decodeBase64Lenient(text.slice(start + name.length + 2, end));
}
