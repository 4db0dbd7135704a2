import { decodeFile, utf16Of } from '../bytes.ts';
import { hasControls } from '../text.ts';
import { readDerElement } from './der.ts';
import { foreignBytes, foreignText } from './foreign-keys.ts';
import {
  type KeyKind,
  type KeyRefusal,
  type KeyStructure,
  looksLikeDer,
  readDerKey,
  readJwk,
  type UnreadKey,
} from './key-structure.ts';
import { looksLikePem, readPemKey } from './pem.ts';
import {
  type Base64Layer,
  parseJson,
  peelBase64,
  peelEscapes,
  peelHex,
  peelPercent,
  peelQuotes,
} from './text-layers.ts';

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
  const notes: string[] = [];
  let content = input;
  /** The outermost bytes, where nothing in them is a key. */
  let decoded: KeyRecognition | undefined;
  for (let layersLeft = 8; ; layersLeft -= 1) {
    if (typeof content !== 'string') {
      const key =
        foreignBytes(content) ?? (looksLikeDer(content) ? readDerKey(content) : undefined);
      if (key !== undefined)
        return conclude(key, encodings.length > 0 ? encodings : ['der'], notes);
      const text = plainTextIn(content);
      if (encodings.length > 0 || text === undefined) decoded ??= noKey(content, encodings, notes);
      if (text === undefined) return decoded ?? noKey(content, encodings, notes);
      if (utf16Of(content) !== undefined) notes.push('the text is UTF-16, not ASCII or UTF-8');
      content = text;
    }
    if (content.startsWith('\ufeff')) notes.push('it begins with a byte order mark');
    const text = content.replace(/^\ufeff/, '').trim();
    const form = readKeyForm(text);
    if (form !== undefined) return conclude(form.read, [...encodings, form.encoding], notes);
    const peeled = layersLeft > 0 ? peelKeyText(text) : undefined;
    if (peeled === undefined) {
      return decoded ?? { encoding: nameEncoding(encodings), notes, refusal: notAKey(text) };
    }
    notes.push(...peeled.notes);
    if (peeled.encoding !== undefined) encodings.push(peeled.encoding);
    content = peeled.content;
  }
}

/** UTF-8 or UTF-16 without control characters. */
function plainTextIn(bytes: Uint8Array): string | undefined {
  const text = decodeFile(bytes);
  return text === undefined || hasControls(text.replace(/[\t\n\r]/g, '')) ? undefined : text;
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

/** The value itself, or one of the fields. */
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

/** What is left of a text when one wrapping is taken off. */
interface Peeled {
  readonly content: string | Uint8Array;
  /** Absent where the wrapping is not an encoding of bytes, such as quotes. */
  readonly encoding?: 'base64' | 'base64url' | 'hex';
  readonly notes: readonly string[];
}

/** Takes the outermost wrapping off a text that isn't yet a key; undefined where there is none. */
function peelKeyText(text: string): Peeled | undefined {
  return (
    peelJsonField(text) ??
    noted(peelQuotes(text)?.content, 'it is in quotes') ??
    noted(
      peelEscapes(text)?.content,
      'its escapes (such as \\/ or \\n) are still in it: read it as JSON first',
    ) ??
    noted(peelPercent(text), 'it is percent-encoded, as in a URL or a form') ??
    peelAssignment(text) ??
    peelHexKey(text) ??
    peelBase64Key(text)
  );
}

function noted(content: string | undefined, note: string): Peeled | undefined {
  return content === undefined ? undefined : { content, notes: [note] };
}

/** The fields in which services and applications send a public key; the interface's own is the first (4.1.1). */
const keyFields = ['public_key', 'publicKey', 'pubkey', 'public-key', 'key'];

function peelJsonField(text: string): Peeled | undefined {
  if (!/^[{[]/.test(text)) return undefined;
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const name of keyFields) {
    const content: unknown = Reflect.get(value, name);
    if (typeof content === 'string') return { content, notes: [fieldNote(name)] };
  }
  return undefined;
}

function fieldNote(name: string): string {
  return `it is the field "${name}" of JSON`;
}

/** A line of an environment file or of YAML: `PUBLIC_KEY=…`. */
function peelAssignment(text: string): Peeled | undefined {
  const field = /^(?:export )?(public_?key|pubkey|PUBLIC_?KEY)["']? {0,4}[=:] {0,4}/.exec(text);
  if (field === null) return undefined;
  return noted(text.slice(field[0].length), `the name "${field[1]}" is before it`);
}

function peelHexKey(text: string): Peeled | undefined {
  const layer = peelHex(text);
  if (layer === undefined || layer.digits % 2 !== 0) return undefined;
  return { content: layer.content, encoding: 'hex', notes: ['it is hexadecimal, not Base64'] };
}

function peelBase64Key(text: string): Peeled | undefined {
  // a few words are digits of Base64 and spaces too; the shortest key, of Ed25519, has 60 digits
  if (text.includes(' ') && text.length < 60) return undefined;
  const layer = peelBase64(text, isWholeDer);
  const encoding = layer?.isUrl ? 'base64url' : 'base64';
  return layer && { content: layer.content, encoding, notes: base64Notes(layer) };
}

function isWholeDer(bytes: Uint8Array): boolean {
  const reading = readDerElement(bytes);
  return reading.ok && reading.element.encoded.length === bytes.length;
}

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
