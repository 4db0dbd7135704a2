import { createHmac, hash } from 'node:crypto';
import { decodeBase64Lenient, decodeUtf8, decodeUtf16, encodeUtf8 } from '../bytes.ts';
import { countCharacters, perUserKeyLength } from '../crypto/per-user-key.ts';
import { peelQuotes } from '../crypto/text-layers.ts';
import type { Diagnosis } from '../errors.ts';
import { dayMs } from '../protocol/expiry.ts';
import { counted, hasControls, isUuid, withoutEnd } from '../text.ts';
import { diagnose } from './catalogue.ts';
import { diagnosis } from './diagnosis.ts';

export interface PerUserKeyContext {
  readonly ptnCd?: string;
  readonly clientId?: string;
  /** When the key was made, in ms since 1970. */
  readonly now?: number;
  /** Per-user keys that other users were given. */
  readonly earlierKeys?: readonly string[];
  /** Whether to look for what makes a key weak, and for the key in the responses; true by default. */
  readonly examinesStrength?: boolean;
}

interface PerUserKeyFinding {
  /** The key as it was wrapped, where it is a text: a secret. */
  readonly key?: string;
  /** First what is wrong with its form, outermost first, then what makes it weak. */
  readonly diagnoses: readonly Diagnosis[];
}

/**
 * Judges a per-user key as it came out of the wrap (2.2): its form, then whether it is a constant,
 * derived from what others know, another user's, or not random. A random key over any alphabet of
 * ten symbols or more is blamed less than once in a million.
 */
export function diagnosePerUserKey(
  message: Uint8Array,
  context: PerUserKeyContext = {},
): PerUserKeyFinding {
  const { key, inner, diagnoses } = readShape(message);
  if (inner === undefined || context.examinesStrength === false) return { key, diagnoses };
  const weakness =
    findRelation(inner, context) ?? findOrigin(inner, context) ?? findWeakness(inner);
  return { key, diagnoses: weakness ? [...diagnoses, weakness] : diagnoses };
}

/** Random keys over ten symbols agree at this many of 32 places once in 10^12 pairs. */
const convincingMatches = 20;

function findRelation(key: string, { earlierKeys = [] }: PerUserKeyContext): Diagnosis | undefined {
  const same = earlierKeys.filter((earlier) => earlier === key).length;
  if (same > 1 && same === earlierKeys.length) {
    return diagnose('key-constant', `All ${same + 1} users got the same key.`);
  }
  const repeated = 'This key was returned before, to another user or in another exchange.';
  if (same > 0) return diagnose('key-repeated', repeated);
  const common = Math.max(0, ...earlierKeys.map((earlier) => countMatches(key, earlier)));
  if (common < convincingMatches) return undefined;
  return diagnose(
    'key-predictable',
    `The key shares ${common} of its ${key.length} characters with another user's key, at the same positions: one key can be derived from the other.`,
  );
}

/** Places at which two keys of 32 characters agree; spaces that fill both up don't count. */
export function countMatches(left: string, right: string): number {
  if (left.length !== right.length || left.length !== perUserKeyLength) return 0;
  return left.split('').filter((unit, at) => unit === right[at] && unit !== ' ').length;
}

/**
 * Signs that 32 characters were not drawn at random, and how often a random key over ten symbols,
 * the smallest alphabet in use, meets each by chance (binomial tails):
 *
 *     at most 5 different characters                                       6e-8
 *     one character 17 times or more                                       1.2e-8
 *     ten or more equal characters in a row                                2.1e-8
 *     16 or more of 31 steps to an equal character                         6e-9
 *     16 or more of 31 steps to the next, or to the previous, character    1.4e-9 each
 *     16 or more of 31 steps along a keyboard, either way                  1.4e-9 each
 *     a shorter text repeated                                              1.1e-16
 *     a word of eight letters or more that is used for a key            2.5e-7
 */
const fewestDifferent = 6;
const mostOfOne = 16;
const longestRun = 9;
const mostSteps = 15;

const keyboard = 'qwertyuiopasdfghjklzxcvbnm';
const words = /password|changeme|secretkey|testtest/;

/** Why a key is not a random string; undefined where nothing speaks against it. */
export function findWeakness(key: string): Diagnosis | undefined {
  const characters = [...key];
  const { length } = characters;
  if (length >= 8 && new Set(characters).size === 1) {
    return diagnose('key-constant', `The key is one character repeated ${length} times.`);
  }
  if (length !== perUserKeyLength) return undefined;
  const sign = findPeriod(characters) ?? findCounted(characters) ?? findSteps(characters);
  if (sign === undefined && !words.test(key.toLowerCase())) return undefined;
  const seen = sign ?? 'it contains a word that is common in passwords';
  return diagnose('key-low-entropy', `The key is not a random string: ${seen}.`);
}

function findPeriod(characters: readonly string[]): string | undefined {
  const periods = Array.from({ length: characters.length / 2 }, (_, index) => index + 1);
  const found = periods.find((period) =>
    characters.every((character, at) => at < period || character === characters[at - period]),
  );
  return found === undefined ? undefined : `its first ${found} characters are repeated`;
}

function findCounted(characters: readonly string[]): string | undefined {
  const different = [...new Set(characters)];
  if (different.length < fewestDifferent) {
    return `it has only ${different.length} different characters`;
  }
  const counts = different.map((one) => characters.filter((other) => other === one).length);
  const most = Math.max(...counts);
  if (most > mostOfOne) return `one of its characters occurs ${most} times`;
  const runs = characters.join('').match(/(.)\1*/gsu) ?? [];
  const run = Math.max(...runs.map(countCharacters));
  return run > longestRun ? `one of its characters occurs ${run} times in a row` : undefined;
}

function findSteps(characters: readonly string[]): string | undefined {
  const codes = characters.map((character) => character.codePointAt(0) ?? 0);
  const places = characters.map((character) => keyboard.indexOf(character.toLowerCase()));
  for (const [count, name] of [
    [countSteps(codes, 1), 'from one character to the next are up'],
    [countSteps(codes, -1), 'from one character to the next are down'],
    [countSteps(codes, 0), 'from one character to the next are the same'],
    [countSteps(places, 1), 'are to the neighbouring key on the keyboard'],
    [countSteps(places, -1), 'are to the neighbouring key on the keyboard'],
  ] as const) {
    if (count > mostSteps) return `${count} of its 31 steps ${name}`;
  }
  return undefined;
}

/** Steps of this size between neighbours; -1 means "nowhere" and makes no step. */
function countSteps(codes: readonly number[], step: number): number {
  return codes.filter((code, at) => {
    const previous = codes[at - 1] ?? -1;
    return previous >= 0 && code >= 0 && code - previous === step;
  }).length;
}

/** In bytes: more than any RSA key wraps. */
const longestMessage = 4096;

/**
 * Reads the message of a wrap as the 32 characters that it should be (2.2): the key if it is a text, the same without
 * what doesn't belong to it, and what is wrong with the form, outermost first.
 */
function readShape(message: Uint8Array) {
  if (message.length > longestMessage) return { diagnoses: [wrongLength(message)] };
  const utf16 = readUtf16(message);
  const key = utf16 ?? decodeUtf8(message);
  if (key === undefined || (utf16 === undefined && hasInnerControls(key))) {
    const raw = rawBytes(message, key);
    return { diagnoses: message.length === perUserKeyLength ? [raw] : [raw, wrongLength(message)] };
  }
  const diagnoses: Diagnosis[] = [];
  if (utf16 !== undefined) {
    const what = `The decrypted key is ${message.length} bytes of UTF-16: ${countCharacters(utf16)} characters, each with a zero byte.`;
    diagnoses.push(diagnose('key-utf16', what));
  }
  // Line ends and quotes come off until 32 characters are left, or nothing more does.
  let inner = key;
  while (countCharacters(inner) !== perUserKeyLength || hasControls(inner)) {
    const count = countCharacters(inner);
    const layer = takeOffLineEnd(inner, count) ?? takeOffQuotes(inner, count);
    diagnoses.push(layer?.diagnosis ?? encoded(inner, count) ?? otherLength(inner, count));
    if (layer === undefined) break;
    inner = layer.inner;
  }
  return { key, inner, diagnoses };
}

function takeOffLineEnd(text: string, count: number) {
  const inner = withoutEnd(text, '\r\n');
  if (inner === text) return undefined;
  const what = `The key ends with ${text.endsWith('\r\n') ? 'CR LF' : 'a line break'}: ${count} characters, ${countCharacters(inner)} without it.`;
  return { inner, diagnosis: diagnose('key-trailing-newline', what) };
}

function takeOffQuotes(text: string, count: number) {
  const { content: inner, style } = peelQuotes(text) ?? {};
  if (inner === undefined || style === 'unbalanced') return undefined;
  const what = `The key has quotation marks around it${style === 'python-bytes' ? ", Python's notation for bytes" : ''}: ${count} characters, ${countCharacters(inner)} without them.`;
  return { inner, diagnosis: diagnose('key-quoted', what) };
}

function encoded(text: string, count: number): Diagnosis | undefined {
  if (/^(?:0x)?[0-9a-f]{64}$/i.test(text)) {
    const what = `The key is ${count} hexadecimal digits: 32 bytes that were hex-encoded before they were wrapped.`;
    return diagnose('key-hex-of-32-bytes', what);
  }
  const isBase64 = (count === 43 || count === 44) && decodeBase64Lenient(text)?.length === 32;
  const what = `The key is ${count} characters of Base64: 32 bytes that were encoded before they were wrapped.`;
  return isBase64 ? diagnose('key-base64-of-32-bytes', what) : undefined;
}

function otherLength(text: string, count: number): Diagnosis {
  const has = counted(count, 'character');
  const inner = withoutEnd(text, '\0');
  const zeros = text.length - inner.length;
  const evidence = { length: count };
  if (zeros > 0) {
    const without = `${countCharacters(inner)} without ${zeros === 1 ? 'it' : 'them'}`;
    const what = `The key ends with ${zeroBytes(zeros)}, as at the end of a C string: ${has}, ${without}.`;
    return diagnosis('key-length', what, 'Encrypt the characters without their end.', evidence);
  }
  const [reason, fix] = lengthReason(text, count);
  const what = `The key has ${has} instead of 32${reason ? `: ${reason}` : ''}.`;
  if (fix === undefined) return diagnose('key-length', what, evidence);
  return diagnosis('key-length', what, fix, evidence);
}

/** Why a key has another length, and what to change where it is not how the key is drawn. */
function lengthReason(text: string, count: number): readonly [reason?: string, fix?: string] {
  if (count === 0) {
    return ['the decrypted key is empty', 'Find where the key gets lost before it is encrypted.'];
  }
  if (isUuid(text.replace(/^\{|\}$/g, ''))) {
    const fix = 'Remove the dashes before the key is stored and encrypted.';
    return ['a UUID with its dashes; without them it has 32', fix];
  }
  const hasMark = text.startsWith('\ufeff');
  if (countCharacters(text.replace(/^\ufeff/, '').trim()) === perUserKeyLength) {
    const around = hasMark ? 'a byte order mark in front of' : 'white space around';
    const fix = 'Remove what is around the key before it is stored and encrypted.';
    return [`32 of them, plus ${around} them`, fix];
  }
  if (Buffer.byteLength(text) === perUserKeyLength) {
    return ['32 bytes in UTF-8, but 32 characters are required'];
  }
  if (/^(?:[0-9a-f]{2})+$/i.test(text)) return [`as hexadecimal they are ${count / 2} bytes`];
  const bytes = count >= 16 && count <= 128 ? (decodeBase64Lenient(text)?.length ?? 0) : 0;
  return generated.includes(bytes) ? [`as Base64 they are ${bytes} bytes`] : [];
}

/** How many bytes are drawn for a key, besides 32 that are taken for characters. */
const generated = [12, 16, 24, 32, 48, 64];

/** "a zero byte", "2 zero bytes". */
export function zeroBytes(count: number): string {
  return count === 1 ? 'a zero byte' : `${count} zero bytes`;
}

function rawBytes(message: Uint8Array, text: string | undefined): Diagnosis {
  const readable = message.filter((octet) => octet >= 0x20 && octet < 0x7f).length;
  const isLatin1 = text === undefined && readable * 4 > message.length * 3;
  const seen = isLatin1
    ? 'bytes that are not UTF-8, though most are ASCII: text in another charset, such as ISO-8859-1'
    : 'bytes that are not text: random bytes instead of characters';
  const what = `The decrypted key is ${message.length} ${seen}.`;
  if (!isLatin1) return diagnose('key-raw-bytes', what);
  return diagnosis('key-raw-bytes', what, 'Encode the characters as UTF-8 before encryption.');
}

function wrongLength({ length }: Uint8Array): Diagnosis {
  const what = `The decrypted key is ${counted(length, 'byte')} instead of 32 characters.`;
  return diagnose('key-length', what);
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
  return hasControls(withoutEnd(text, '\0\r\n'));
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
  const inner = peelQuotes(line.trim())?.content ?? line.trim();
  const [reason] =
    countCharacters(inner) === perUserKeyLength
      ? ['without the quotation marks or white space around it, it would be a per-user key']
      : lengthReason(inner, countCharacters(inner));
  const has = `it has ${counted(countCharacters(line), 'character')} instead of 32`;
  return reason === undefined ? [] : [`${has}: ${reason}`];
}

/** Shorter keys say too little. */
const shortestKey = 16;

/** A random key of ten symbols contains a code of ten characters once in 400 million. */
const longCode = 10;

/** Whether a key follows from what others know: the user code, the client, the time; undefined where not. */
function findOrigin(key: string, context: PerUserKeyContext): Diagnosis | undefined {
  if (key.length < shortestKey || key.length > 256) return undefined;
  const folded = key.toLowerCase();
  for (const [text, name] of derivedForms(context.ptnCd, context.clientId)) {
    const how = matchForm(folded, text.toLowerCase());
    if (how === undefined) continue;
    const message = `The key is ${name}${how}: it can be computed, so it is not secret.`;
    return diagnose('key-from-user-code', message);
  }
  const time = context.now === undefined ? undefined : findTime(key, context.now, context.ptnCd);
  const message = `The key ${time}: anyone who knows when it was generated can guess it.`;
  return time === undefined ? undefined : diagnose('key-predictable', message);
}

/** How a form fills the key: wholly, cut at one end, repeated, or filled up with one character. */
function matchForm(key: string, form: string): string | undefined {
  if (form === '') return undefined;
  if (form === key) return '';
  if (form.length > key.length) {
    if (form.startsWith(key)) return `, cut after ${key.length} characters`;
    return form.endsWith(key) ? `, its last ${key.length} characters` : undefined;
  }
  if (key.startsWith(form) && form.repeat(Math.ceil(key.length / form.length)).startsWith(key)) {
    return ', repeated';
  }
  if (form.length >= 3 && (key.startsWith(form) || key.endsWith(form))) {
    const rest = key.startsWith(form) ? key.slice(form.length) : key.slice(0, -form.length);
    if (new Set(rest).size === 1) return `, padded with ${rest.length} equal characters`;
  }
  return form.length >= longCode && key.includes(form) ? ', plus other characters' : undefined;
}

const secondMs = 1000;
/** By how much the clock of the application may differ from this one. */
const clockMs = 120 * secondMs;

/** Over an alphabet of ten digits every second of this window comes by chance once in 10^8. */
const shortClockMs = 15 * secondMs;

/**
 * What of a key is the time at which it was made, as the end of a sentence; undefined for nothing.
 * A random key over the worst ten symbols, those that now is written with, has it by chance:
 *
 *     decimal seconds at either end: 2 ends of 239 in 10^10                       5e-8
 *     decimal milliseconds at either end: 2 ends of 239,999 in 10^13              5e-8
 *     hexadecimal seconds at the beginning: 29 in 10^8                            2.9e-7
 *     a written date at one of 19 places: 172,799 in 10^14                        3.3e-8
 *     a version 1 UUID: 2 values of its highest 7 digits, its version and variant 4e-9
 *     a hash of 64 bits or more, of the time and the user code: 40,000 in 2^128    1e-34
 */
export function findTime(key: string, now: number, ptnCd = ''): string | undefined {
  return (
    findDecimal(key, now) ??
    findHexadecimal(key, now) ??
    findWritten(key, now) ??
    findUuid(key, now) ??
    findDigest(key, Math.floor(now), ptnCd)
  );
}

function findDecimal(key: string, now: number): string | undefined {
  const isNear = (digits: number, unitMs: number) =>
    [key.slice(0, digits), key.slice(-digits)].some(
      (part) => /^\d+$/.test(part) && Math.abs(Number(part) * unitMs - now) < clockMs,
    );
  if (isNear(10, secondMs)) return 'contains the seconds since 1970';
  return isNear(13, 1) ? 'contains the milliseconds since 1970' : undefined;
}

/** PHP's uniqid() and BSON's ObjectId begin with the seconds in eight hexadecimal digits. */
function findHexadecimal(key: string, now: number): string | undefined {
  const head = key.slice(0, 8);
  if (!/^[0-9A-Fa-f]{8}$/.test(head)) return undefined;
  const isNear = Math.abs(Number.parseInt(head, 16) * secondMs - now) < shortClockMs;
  return isNear ? 'contains the seconds since 1970 in hexadecimal' : undefined;
}

/** yyyyMMddHHmmss in any time zone. */
function findWritten(key: string, now: number): string | undefined {
  for (const [, year, month, day, hour, minute, second] of key.matchAll(
    /(?=(20\d\d)([01]\d)([0-3]\d)([0-2]\d)([0-5]\d)([0-5]\d))/g,
  )) {
    const clock = [Number(hour), Number(minute), Number(second)] as const;
    const written = Date.UTC(Number(year), Number(month) - 1, Number(day), ...clock);
    if (Math.abs(written - now) < dayMs) return 'contains the date and time';
  }
  return undefined;
}

/** RFC 9562 5.1: a version 1 UUID is the time, a counter and the machine, without randomness. */
function findUuid(key: string, now: number): string | undefined {
  const digits = key.replaceAll('-', '').toLowerCase();
  const parts = /^([0-9a-f]{8})([0-9a-f]{4})1([0-9a-f]{3})[89ab][0-9a-f]{15}$/.exec(digits);
  if (parts === null) return undefined;
  const ticks = BigInt(`0x${parts[3]}${parts[2]}${parts[1]}`);
  // 100 ns since 15 October 1582
  const made = Number((ticks - 0x01b21dd213814000n) / 10_000n);
  return Math.abs(made - now) < clockMs
    ? 'is a version 1 UUID, derived from the time and the machine'
    : undefined;
}

/** How far from now a hashed time is tried: five minutes of seconds; of milliseconds less than one second. */
const hashedTimes = [
  ['seconds', secondMs, -300, 300],
  ['milliseconds', 1, -200, 500],
] as const;

/** A hash of the time, alone or beside the user code, looks random and isn't; `now` is a whole number. */
function findDigest(key: string, now: number, ptnCd: string): string | undefined {
  if (!/^[0-9A-Fa-f]{32}$/.test(key)) return undefined;
  const folded = key.toLowerCase();
  const isDigestOf = (text: string) =>
    hash('md5', text) === folded || hash('sha256', text).startsWith(folded);
  const between = ptnCd === '' ? [] : separators;
  for (const [name, unitMs, from, to] of hashedTimes) {
    for (let offset = from; offset <= to; offset += 1) {
      const time = `${Math.floor(now / unitMs) + offset}`;
      if (isDigestOf(time)) return `is a hash of the ${name} since 1970`;
      const both = between.flatMap((sign) => [ptnCd + sign + time, time + sign + ptnCd]);
      if (both.some(isDigestOf)) return `is a hash of the user code and the ${name} since 1970`;
    }
  }
  return undefined;
}

/** A text that applications make keys of without randomness, and its name: "the MD5 of the user code in hexadecimal". */
type DerivedForm = readonly [text: string, name: string];

const digests = ['md5', 'sha1', 'sha256', 'sha512', 'sha384'] as const;
const separators = ['', ':', '-', '_', '|', '.', '/'] as const;

/** RFC 9562 6.6: the name spaces of name-based UUIDs; Java's nameUUIDFromBytes uses none. */
const nameSpaces = ['', '6ba7b810', '6ba7b811', '6ba7b812', '6ba7b814'].map((space) =>
  Buffer.from(space && `${space}9dad11d180b400c04fd430c8`, 'hex'),
);

/** The forms of user code and client id, the most direct first. */
function derivedForms(ptnCd = '', clientId = ''): readonly DerivedForm[] {
  const forms = sources(ptnCd, clientId).flatMap(formsOf);
  if (ptnCd === '' || clientId === '') return forms;
  return [
    ...forms,
    ...hmacs(ptnCd, clientId, 'the HMAC of the user code under the client id'),
    ...hmacs(clientId, ptnCd, 'the HMAC of the client id under the user code'),
  ];
}

function sources(ptnCd: string, clientId: string): readonly DerivedForm[] {
  const folded = [ptnCd.toLowerCase(), ptnCd.toUpperCase()].filter((text) => text !== ptnCd);
  const parts: DerivedForm[] = [
    [ptnCd, 'the user code'],
    ...folded.map((text) => [text, 'the user code in upper or lower case'] as const),
    [clientId, 'the client id'],
  ];
  const joined = separators.flatMap((separator): DerivedForm[] => [
    [ptnCd + separator + clientId, 'user code and client id'],
    [clientId + separator + ptnCd, 'client id and user code'],
  ]);
  return ptnCd && clientId ? [...parts, ...joined] : parts.filter(([text]) => text !== '');
}

function formsOf([text, name]: DerivedForm): DerivedForm[] {
  const hashes = digests.flatMap((algorithm) => {
    const title = `the ${algorithm.toUpperCase()} of`;
    const digest = hash(algorithm, text, 'buffer');
    const twice = hash(algorithm, digest.toString('hex'), 'buffer');
    const ofDigest = encodings(digest, `${title} ${name}`);
    return [...ofDigest, ...encodings(twice, `${title} ${title} ${name}`)];
  });
  const uuids = nameSpaces.flatMap((space) => {
    const named = Buffer.concat([space, Buffer.from(text)]);
    const [md5, sha1] = [hash('md5', named, 'buffer'), hash('sha1', named, 'buffer')];
    return [stamp(md5, 0x30), stamp(sha1, 0x50)];
  });
  return [
    [text, name],
    [[...text].reverse().join(''), `${name} reversed`],
    [text.replaceAll('-', ''), `${name} without dashes`],
    ...encodings(Buffer.from(text), name),
    ...hashes,
    ...uuids.map((uuid) => [uuid, `a name-based UUID of ${name}`] as const),
  ];
}

/** RFC 9562 4.1, 4.2: version and variant replace six bits of the first sixteen bytes. */
function stamp(digest: Buffer, version: number): string {
  digest[6] = ((digest[6] ?? 0) & 0x0f) | version;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  return digest.toString('hex', 0, 16);
}

function hmacs(message: string, key: string, name: string): DerivedForm[] {
  return digests.flatMap((algorithm) => {
    const digest = createHmac(algorithm, key).update(message).digest();
    return encodings(digest, `${name} (${algorithm.toUpperCase()})`);
  });
}

function encodings(bytes: Buffer, name: string): DerivedForm[] {
  const hex = bytes.toString('hex');
  return [
    [hex, `${name} in hexadecimal`],
    [bytes.toString('base64'), `${name} in Base64`],
    [bytes.toString('base64url'), `${name} in Base64url`],
    [Buffer.from(hex).toString('base64'), `${name} in hexadecimal and Base64`],
    [[...hex].reverse().join(''), `${name} in hexadecimal, reversed`],
  ];
}
