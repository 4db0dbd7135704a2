import { decodeBase64Lenient, decodeHex, decodeUtf8, decodeUtf16, encodeUtf8 } from '../bytes.ts';
import { countCharacters, perUserKeyLength } from '../crypto/per-user-key.ts';
import type { Diagnosis } from '../errors.ts';
import { counted, hasControls, isUuid } from '../text.ts';
import { diagnose } from './catalogue.ts';

interface KeyShape {
  /** What was wrapped, as text. */
  readonly key?: string;
  /** The key without what doesn't belong to it; absent for bytes that are not text. */
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
    const what = `The decrypted key is ${message.length} bytes of UTF-16: ${countCharacters(utf16)} characters, each with a zero byte.`;
    return peel(utf16, utf16, [diagnose('key-utf16', what)]);
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
  if (count === perUserKeyLength && !hasControls(text)) return { key, inner: text, diagnoses };
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
  return { inner, diagnosis: diagnose('key-trailing-newline', what) };
}

function peelQuotes(text: string): { inner: string; diagnosis: Diagnosis } | undefined {
  const inner = /^(?:b?'([^']+)'|"([^"]+)")$/s.exec(text);
  const content = inner?.[1] ?? inner?.[2];
  if (content === undefined) return undefined;
  const what = `The key has quotation marks around it${text.startsWith('b') ? ", Python's notation for bytes" : ''}: ${countCharacters(text)} characters, ${countCharacters(content)} without them.`;
  return { inner: content, diagnosis: diagnose('key-quoted', what) };
}

function encoded(text: string, count: number): Diagnosis | undefined {
  if (/^(?:0x)?[0-9a-f]{64}$/i.test(text)) {
    const what = `The key is ${count} hexadecimal digits: 32 bytes that were hex-encoded before they were wrapped.`;
    return diagnose('key-hex-of-32-bytes', what);
  }
  if (count === 43 || count === 44) {
    if (decodeBase64Lenient(text)?.length !== 32) return undefined;
    const what = `The key is ${count} characters of Base64: 32 bytes that were encoded before they were wrapped.`;
    return diagnose('key-base64-of-32-bytes', what);
  }
  return undefined;
}

function length(text: string, count: number): Diagnosis {
  const reason = lengthReason(text, count);
  const what =
    trailingZeros(text, count) ??
    `The key has ${counted(count, 'character')} instead of 32${reason ? `: ${reason}` : ''}.`;
  return diagnose('key-length', what, { length: count });
}

function tooLong(message: Uint8Array): Diagnosis {
  return diagnose(
    'key-length',
    `The key has ${counted(message.length, 'byte')} instead of 32 characters.`,
  );
}

function trailingZeros(text: string, count: number): string | undefined {
  const inner = text.replace(/\0+$/, '');
  const zeros = text.length - inner.length;
  if (zeros === 0) return undefined;
  return `The key ends with ${zeroBytes(zeros)}, as at the end of a C string: ${counted(count, 'character')}, ${countCharacters(inner)} without ${zeros === 1 ? 'it' : 'them'}.`;
}

function lengthReason(text: string, count: number): string | undefined {
  if (count === 0) return 'the decrypted key is empty';
  if (isUuid(text.replace(/^\{|\}$/g, ''))) return 'a UUID with its dashes; without them it has 32';
  const trimmed = text.replace(/^\ufeff/, '').trim();
  if (countCharacters(trimmed) === perUserKeyLength) {
    const around = text.startsWith('\ufeff')
      ? 'a byte order mark in front of them'
      : 'white space around them';
    return `32 of them, plus ${around}`;
  }
  if (Buffer.byteLength(text) === perUserKeyLength) {
    return '32 bytes in UTF-8, but 32 characters are required';
  }
  return lengthOfEncoding(text, count);
}

/** Bytes that a random generator gives, and what they are in the usual encodings. */
function lengthOfEncoding(text: string, count: number): string | undefined {
  if (/^(?:[0-9a-f]{2})+$/i.test(text)) return `as hexadecimal they are ${count / 2} bytes`;
  const bytes = count >= 16 && count <= 128 ? decodeBase64Lenient(text)?.length : undefined;
  const isUsual = bytes !== undefined && [12, 16, 24, 48, 64].includes(bytes);
  return isUsual ? `as Base64 they are ${bytes} bytes` : undefined;
}

/** "a zero byte", "2 zero bytes". */
export function zeroBytes(count: number): string {
  return count === 1 ? 'a zero byte' : `${count} zero bytes`;
}

function rawBytes(message: Uint8Array, text: string | undefined): readonly Diagnosis[] {
  const readable = message.filter((octet) => octet >= 0x20 && octet < 0x7f).length;
  const isLatin1 = text === undefined && readable * 4 > message.length * 3;
  const seen = isLatin1
    ? `${message.length} bytes that are not UTF-8, though most are ASCII: text in another charset, such as ISO-8859-1`
    : `${message.length} bytes that are not text: random bytes instead of characters`;
  const raw = diagnose('key-raw-bytes', `The decrypted key is ${seen}.`);
  if (message.length === perUserKeyLength) return [raw];
  const what = `The decrypted key is ${counted(message.length, 'byte')} instead of 32 characters.`;
  return [raw, diagnose('key-length', what)];
}

/** The text of UTF-16 by the zeros that ASCII has in it; after a mark too, as random bytes may begin with one. */
function readUtf16(message: Uint8Array): string | undefined {
  if (message.length < 4 || message.length % 2 !== 0) return undefined;
  const hasLittleMark = message[0] === 0xff && message[1] === 0xfe;
  const hasBigMark = message[0] === 0xfe && message[1] === 0xff;
  const unmarked = message.subarray(hasLittleMark || hasBigMark ? 2 : 0);
  const isLittle = !hasBigMark && isZeroAt(unmarked, 1);
  const isBig = !hasLittleMark && isZeroAt(unmarked, 0);
  if (!isLittle && !isBig) return undefined;
  const text = decodeUtf16(unmarked, isLittle ? 'little' : 'big');
  return hasInnerControls(text) ? undefined : text;
}

function isZeroAt(message: Uint8Array, parity: number): boolean {
  return message.every((octet, index) => (index % 2 === parity) === (octet === 0));
}

/** Controls at the end are a line break or the end of a C string; elsewhere they mean bytes. */
function hasInnerControls(text: string): boolean {
  return hasControls(text.replace(/[\0\r\n]+$/, ''));
}

/** No encoding of a per-user key is longer. */
const longestEncodedKey = 200;

/** Whether a text is a per-user key by its form (2.2): 32 characters, none of them a control. */
export function looksLikePerUserKey(text: string): boolean {
  return (
    text.length <= 2 * perUserKeyLength &&
    countCharacters(text) === perUserKeyLength &&
    !hasControls(text)
  );
}

/** What is odd about a text that has the form of a per-user key. */
export function notesOnPerUserKey(key: string): readonly string[] {
  const isAscii = encodeUtf8(key).length === key.length;
  return [
    ...(/\s/u.test(key) ? ['it contains white space, which is easily lost in transit'] : []),
    ...(isAscii ? [] : ['it contains characters outside ASCII: in UTF-8 it is more than 32 bytes']),
  ];
}

/** Whether a text of another length than 32 is a per-user key, encoded or quoted. */
export function notesOnOtherLength(line: string): readonly string[] {
  if (line.length > longestEncodedKey) return [];
  const inner = line.trim().replace(/^(["'])(.*)\1$/u, '$2');
  const count = countCharacters(line);
  if (countCharacters(inner) === perUserKeyLength) {
    return [
      `it has ${counted(count, 'character')} instead of 32: without the quotation marks or white space around it, it would be a per-user key`,
    ];
  }
  if (decodeHex(inner)?.length === 32) return [lengthNote(count, '32 bytes in hexadecimal')];
  if (isUuid(inner)) {
    return [lengthNote(count, 'a UUID with its dashes, which has 32 digits without them')];
  }
  if (decodeBase64Lenient(inner)?.length === 32) return [lengthNote(count, '32 bytes in Base64')];
  return [];
}

function lengthNote(count: number, what: string): string {
  return `it is ${counted(count, 'character')}, ${what}: a per-user key has 32 characters`;
}
