import { decodeUtf8, decodeUtf16 } from '../bytes.ts';
import { readDerElement } from './der.ts';
import { readJwk } from './jwk.ts';
import {
  type Base64Layer,
  parseJson,
  peelBase64,
  peelEscapes,
  peelHex,
  peelPercent,
  peelQuotes,
} from './text-layers.ts';

/** What is left of a text when one wrapping is taken off. */
interface Peeled {
  readonly content: string | Uint8Array;
  /** Absent where the wrapping is not an encoding of bytes, such as quotes. */
  readonly encoding?: 'base64' | 'base64url' | 'hex';
  readonly notes: readonly string[];
}

/** Takes the outermost wrapping off a text that isn't yet a key; undefined where there is none. */
export function peelKeyText(text: string): Peeled | undefined {
  return (
    peelJsonField(text) ??
    peelQuotedKey(text) ??
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

function peelQuotedKey(text: string): Peeled | undefined {
  const layer = peelQuotes(text);
  return noted(layer?.content, `it is in quotes${layer?.style === 'json' ? ', as JSON' : ''}`);
}

/** The fields in which services and applications send a public key; the interface's own is the first (4.1.1). */
const keyFields = ['public_key', 'publicKey', 'pubkey', 'public-key', 'key'];

function peelJsonField(text: string): Peeled | undefined {
  if (!/^[{[]/.test(text)) return undefined;
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || readJwk(value) !== undefined) return undefined;
  for (const name of keyFields) {
    const field: unknown = Reflect.get(value, name);
    const content = name !== 'key' && readJwk(field) ? JSON.stringify(field) : field;
    if (typeof content === 'string') {
      return { content, notes: [`it is the field "${name}" of JSON`] };
    }
  }
  return undefined;
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
  if (layer === undefined) return undefined;
  const { content, isUrl } = layer;
  return { content, encoding: isUrl ? 'base64url' : 'base64', notes: base64Notes(layer) };
}

function isWholeDer(bytes: Uint8Array): boolean {
  const reading = readDerElement(bytes);
  return reading.ok && reading.element.encoded.length === bytes.length;
}

function base64Notes({ whiteSpace, isUrl, ...padding }: Base64Layer): string[] {
  if (whiteSpace === 'plus') {
    return ['it has spaces where "+" belongs, as a form decoder leaves them'];
  }
  return [
    ...(whiteSpace ? ['it has line breaks or spaces inside'] : []),
    ...(isUrl ? ['it is Base64url, not Base64'] : []),
    ...paddingNotes(padding),
  ];
}

function paddingNotes({
  padding: { present, wanted },
  hasInnerPadding,
}: Pick<Base64Layer, 'padding' | 'hasInnerPadding'>): string[] {
  if (hasInnerPadding) return ['it has "=" in its middle: a strict reader stops there'];
  if (wanted === undefined) {
    return ['its number of Base64 digits is impossible: at least one is missing'];
  }
  return present === wanted ? [] : [`it has ${present} "=" at its end where ${wanted} belong`];
}

/** A text, and what had to be overlooked to read it. */
interface DecodedText {
  readonly text: string;
  readonly notes: readonly string[];
}

const utf16Note = 'the text is UTF-16, not ASCII or UTF-8';

/** The text in bytes: UTF-8, or UTF-16 as some editors save it. */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  const utf16 = asciiOfUtf16(bytes);
  if (utf16 !== undefined) return { text: utf16, notes: [utf16Note] };
  const text = decodeUtf8(bytes);
  return text === undefined ? undefined : { text, notes: [] };
}

/** Takes white space around off, a byte order mark, and the NULs of UTF-16 that was read as ASCII. */
export function trimText(content: string): DecodedText {
  const hasMark = content.startsWith('\ufeff');
  const hasNuls = content.includes('\0') && isAscii(content.replaceAll('\0', ''));
  const withoutNuls = hasNuls ? content.replace(/[^\t\n\r -~]/g, '') : content;
  const mark = hasMark ? ['it begins with a byte order mark'] : [];
  const text = withoutNuls.replace(/^\ufeff/, '').trim();
  return { text, notes: [...mark, ...(hasNuls ? [utf16Note] : [])] };
}

function asciiOfUtf16(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  if (bytes.length % 2 !== 0 || (!isLittle && !isBig)) return undefined;
  const text = decodeUtf16(bytes, isLittle ? 'little' : 'big');
  // other binary data has zeros at the right places too, but not text alone
  return isAscii(text) ? text : undefined;
}

/** Whether a text is printable ASCII; a byte order mark, also one that came out broken, doesn't count. */
function isAscii(text: string): boolean {
  return /^[\ufeff\ufffd]{0,2}[\t\n\r -~]+$/.test(text);
}
