import { decodeBase64Lenient, decodeUtf8 } from '../bytes.ts';
import { countCharacters, perUserKeyLength } from '../crypto/per-user-key.ts';
import type { Diagnosis } from '../errors.ts';
import { hasControls } from '../text.ts';
import { diagnoseKey } from './per-user-key-words.ts';

/** The form of a key. */
export interface KeyShape {
  /** What stood in the wrap, as text. */
  readonly key?: string;
  /** The key without what doesn't belong to it; absent for bytes that are no text. */
  readonly inner?: string;
  /** What is wrong with the form, outermost first; empty for 32 characters. */
  readonly diagnoses: readonly Diagnosis[];
}

/** In bytes: more than any RSA key wraps. */
const longestMessage = 4096;

/** Reads the message of a wrap as the 32 characters that it should be (2.2). */
export function readShape(message: Uint8Array): KeyShape {
  if (message.length > longestMessage) return { diagnoses: [tooLong(message)] };
  const utf16 = readUtf16(message);
  if (utf16 !== undefined) {
    const what = `In the wrap stand ${message.length} bytes of UTF-16: ${countCharacters(utf16)} characters, with a zero byte beside each.`;
    return peel(utf16, utf16, [diagnoseKey('key-utf16', what)]);
  }
  const text = decodeUtf8(message);
  if (text === undefined || hasInnerControls(text)) {
    return { diagnoses: rawBytes(message, text) };
  }
  return peel(text, text, []);
}

/** Takes off line ends and quotes until 32 characters are left, or nothing more comes off. */
function peel(key: string, text: string, diagnoses: readonly Diagnosis[]): KeyShape {
  const count = countCharacters(text);
  if (count === perUserKeyLength && !hasInnerControls(text)) return { key, inner: text, diagnoses };
  const layer = peelLineEnd(text) ?? peelQuotes(text);
  if (layer !== undefined) return peel(key, layer.inner, [...diagnoses, layer.diagnosis]);
  return {
    key,
    inner: text,
    diagnoses: [...diagnoses, encoded(text, count) ?? length(text, count)],
  };
}

function peelLineEnd(text: string): { inner: string; diagnosis: Diagnosis } | undefined {
  const inner = text.replace(/[\r\n]+$/, '');
  if (inner === text) return undefined;
  const what = `The key ends with ${text.endsWith('\r\n') ? 'CR LF' : 'a line break'}: ${countCharacters(text)} characters, ${countCharacters(inner)} without it.`;
  return { inner, diagnosis: diagnoseKey('key-trailing-newline', what) };
}

function peelQuotes(text: string): { inner: string; diagnosis: Diagnosis } | undefined {
  const inner = /^(?:b?'([^']+)'|"([^"]+)")$/s.exec(text);
  const content = inner?.[1] ?? inner?.[2];
  if (content === undefined) return undefined;
  const what = `The key has quotation marks around it${text.startsWith('b') ? ", Python's notation for bytes" : ''}: ${countCharacters(text)} characters, ${countCharacters(content)} without them.`;
  return { inner: content, diagnosis: diagnoseKey('key-quoted', what) };
}

function encoded(text: string, count: number): Diagnosis | undefined {
  if (/^(?:0x)?[0-9a-f]{64}$/i.test(text)) {
    const what = `The key is ${count} hexadecimal digits: 32 bytes, written as hexadecimal before they were wrapped.`;
    return diagnoseKey('key-hex-of-32-bytes', what);
  }
  if (count === 43 || count === 44) {
    if (decodeBase64Lenient(text)?.length !== 32) return undefined;
    const what = `The key is ${count} characters of Base64: 32 bytes, encoded before they were wrapped.`;
    return diagnoseKey('key-base64-of-32-bytes', what);
  }
  return undefined;
}

function length(text: string, count: number): Diagnosis {
  const reason = lengthReason(text, count);
  return diagnoseKey(
    'key-length',
    `The key has ${count} characters instead of 32${reason ? `: ${reason}` : ''}.`,
  );
}

function tooLong(message: Uint8Array): Diagnosis {
  return diagnoseKey('key-length', `The key has ${message.length} bytes instead of 32 characters.`);
}

function lengthReason(text: string, count: number): string | undefined {
  const withoutNuls = text.replace(/\0+$/, '');
  if (withoutNuls !== text) {
    const zeros = text.length - withoutNuls.length;
    return `${countCharacters(withoutNuls)} of them, then ${zeros === 1 ? 'a zero byte' : `${zeros} zero bytes`}, as C ends a string`;
  }
  if (count === 0) return 'there is nothing in the wrap';
  if (/^\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$/i.test(text)) {
    return 'a UUID with its dashes; without them it has 32';
  }
  const trimmed = text.replace(/^\ufeff/, '').trim();
  if (countCharacters(trimmed) === perUserKeyLength) {
    return `32 of them, and ${text.startsWith('\ufeff') ? 'a byte order mark in front' : 'white space around'}`;
  }
  if (Buffer.byteLength(text) === perUserKeyLength) {
    return '32 bytes in UTF-8, but bytes are not characters';
  }
  return lengthOfEncoding(text, count);
}

/** Bytes that a random generator gives, and what they are in the usual encodings. */
function lengthOfEncoding(text: string, count: number): string | undefined {
  const isHex = /^[0-9a-f]+$/i.test(text) && count % 2 === 0;
  if (isHex) return `as hexadecimal they are ${count / 2} bytes`;
  const bytes = count >= 16 && count <= 128 ? decodeBase64Lenient(text)?.length : undefined;
  if (bytes !== undefined && [12, 16, 24, 48, 64].includes(bytes))
    return `as Base64 they are ${bytes} bytes`;
  return undefined;
}

function rawBytes(message: Uint8Array, text: string | undefined): readonly Diagnosis[] {
  const readable = message.filter((octet) => octet >= 0x20 && octet < 0x7f).length;
  const isLatin1 = text === undefined && readable * 4 > message.length * 3;
  const seen = isLatin1
    ? `${message.length} bytes that are no UTF-8 though most are readable: a text in another charset, such as ISO-8859-1`
    : `${message.length} bytes that are no text: random bytes instead of characters`;
  const raw = diagnoseKey('key-raw-bytes', `In the wrap stand ${seen}.`);
  if (message.length === perUserKeyLength) return [raw];
  const what = `The wrap holds ${message.length} bytes instead of 32 characters.`;
  return [raw, diagnoseKey('key-length', what)];
}

/** The text of UTF-16, by its mark or by the zeros that ASCII has in it. */
function readUtf16(message: Uint8Array): string | undefined {
  if (message.length < 4 || message.length % 2 !== 0) return undefined;
  const hasLittleMark = message[0] === 0xff && message[1] === 0xfe;
  const hasBigMark = message[0] === 0xfe && message[1] === 0xff;
  const isLittle = hasLittleMark || isZeroAt(message, 1);
  if (!isLittle && !hasBigMark && !isZeroAt(message, 0)) return undefined;
  const copy = Buffer.from(message);
  const text = (isLittle ? copy : copy.swap16()).toString('utf16le').replace(/^\ufeff/, '');
  return hasInnerControls(text) ? undefined : text;
}

function isZeroAt(message: Uint8Array, parity: number): boolean {
  return message.every((octet, index) => (index % 2 === parity) === (octet === 0));
}

/** Controls in the middle are no text; at the end they are a line break or the end of a C string. */
function hasInnerControls(text: string): boolean {
  return hasControls(text.replace(/[\0\r\n]+$/, ''));
}
