import { createHmac, hash } from 'node:crypto';
import type { Diagnosis } from '../errors.ts';
import { dayMs } from '../protocol/expiry.ts';
import { diagnose } from './catalogue.ts';

interface OriginContext {
  readonly ptnCd?: string;
  readonly clientId?: string;
  readonly now?: number;
}

/** Shorter keys say too little. */
const shortestKey = 16;

/** A random key of ten symbols contains a code of ten characters once in 400 million. */
const longCode = 10;

/** Whether a key follows from what others know: the user code, the client, the time; undefined where not. */
export function findOrigin(key: string, context: OriginContext): Diagnosis | undefined {
  if (key.length < shortestKey || key.length > 256) return undefined;
  const form = findForm(key, context);
  if (form !== undefined) {
    return diagnose(
      'key-from-user-code',
      `The key is ${form}: it can be computed, so it is not secret.`,
    );
  }
  const time = context.now === undefined ? undefined : findTime(key, context.now, context.ptnCd);
  const message = `The key ${time}: anyone who knows when it was generated can guess it.`;
  return time === undefined ? undefined : diagnose('key-predictable', message);
}

function findForm(key: string, { ptnCd, clientId }: OriginContext): string | undefined {
  const folded = key.toLowerCase();
  for (const { text, name } of derivedForms(ptnCd, clientId)) {
    const how = matchForm(folded, text.toLowerCase());
    if (how !== undefined) return name + how;
  }
  return undefined;
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
  for (const [digits, unit, name] of [
    [10, 1000, 'seconds'],
    [13, 1, 'milliseconds'],
  ] as const) {
    const isNear = [key.slice(0, digits), key.slice(-digits)].some(
      (part) => /^\d+$/.test(part) && Math.abs(Number(part) * unit - now) < clockMs,
    );
    if (isNear) return `contains the ${name} since 1970`;
  }
  return undefined;
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
  { unitMs: secondMs, from: -300, to: 300, name: 'seconds' },
  { unitMs: 1, from: -200, to: 500, name: 'milliseconds' },
] as const;

/** A hash of the time, alone or beside the user code, looks random and isn't; `now` is a whole number. */
function findDigest(key: string, now: number, ptnCd: string): string | undefined {
  if (!/^[0-9A-Fa-f]{32}$/.test(key)) return undefined;
  const folded = key.toLowerCase();
  const codes = ptnCd === '' ? [] : separators.map((separator) => ptnCd + separator);
  const turned = ptnCd === '' ? [] : separators.map((separator) => separator + ptnCd);
  for (const { unitMs, from, to, name } of hashedTimes) {
    for (let offset = from; offset <= to; offset += 1) {
      const time = `${Math.floor(now / unitMs) + offset}`;
      if (isDigestOf(folded, time)) return `is a hash of the ${name} since 1970`;
      const isBoth =
        codes.some((code) => isDigestOf(folded, code + time)) ||
        turned.some((code) => isDigestOf(folded, time + code));
      if (isBoth) return `is a hash of the user code and the ${name} since 1970`;
    }
  }
  return undefined;
}

function isDigestOf(key: string, text: string): boolean {
  return hash('md5', text) === key || hash('sha256', text).startsWith(key);
}

/** A text that applications make keys of without randomness: "the MD5 of the user code in hexadecimal". */
export interface DerivedForm {
  readonly text: string;
  readonly name: string;
}

const digests = ['md5', 'sha1', 'sha256', 'sha512', 'sha384'] as const;
/** What is written between two parts. */
const separators = ['', ':', '-', '_', '|', '.', '/'] as const;

/** RFC 9562 6.6: the name spaces of name-based UUIDs; Java's nameUUIDFromBytes uses none. */
const nameSpaces = ['', '6ba7b810', '6ba7b811', '6ba7b812', '6ba7b814'] as const;
const nameSpaceTail = '9dad11d180b400c04fd430c8';

/** The forms of user code and client id, the most direct first. */
export function* derivedForms(ptnCd = '', clientId = ''): Generator<DerivedForm> {
  for (const { text, name } of sources(ptnCd, clientId)) yield* formsOf(text, name);
  if (ptnCd === '' || clientId === '') return;
  yield* hmacs(ptnCd, clientId, 'the HMAC of the user code under the client id');
  yield* hmacs(clientId, ptnCd, 'the HMAC of the client id under the user code');
}

function sources(ptnCd: string, clientId: string): readonly DerivedForm[] {
  const folded = [ptnCd.toLowerCase(), ptnCd.toUpperCase()].filter((text) => text !== ptnCd);
  const joined = separators.flatMap((separator) => [
    { text: ptnCd + separator + clientId, name: 'user code and client id' },
    { text: clientId + separator + ptnCd, name: 'client id and user code' },
  ]);
  return [
    { text: ptnCd, name: 'the user code' },
    ...folded.map((text) => ({ text, name: 'the user code in upper or lower case' })),
    { text: clientId, name: 'the client id' },
    ...(ptnCd !== '' && clientId !== '' ? joined : []),
  ].filter(({ text }) => text !== '');
}

function* formsOf(text: string, name: string): Generator<DerivedForm> {
  yield { text, name };
  yield { text: [...text].reverse().join(''), name: `${name} reversed` };
  yield { text: text.replaceAll('-', ''), name: `${name} without dashes` };
  yield* encodings(Buffer.from(text), name);
  for (const algorithm of digests) {
    const title = algorithm.toUpperCase();
    const digest = hash(algorithm, text, 'buffer');
    const twice = hash(algorithm, digest.toString('hex'), 'buffer');
    yield* encodings(digest, `the ${title} of ${name}`);
    yield* encodings(twice, `the ${title} of the ${title} of ${name}`);
  }
  for (const space of nameSpaces) {
    const bytes = Buffer.from(space === '' ? '' : space + nameSpaceTail, 'hex');
    const named = Buffer.concat([bytes, Buffer.from(text)]);
    const uuids = [
      stamp(hash('md5', named, 'buffer'), 0x30),
      stamp(hash('sha1', named, 'buffer'), 0x50),
    ];
    for (const uuid of uuids) yield { text: uuid, name: `a name-based UUID of ${name}` };
  }
}

/** RFC 9562 4.1, 4.2: version and variant replace six bits of the first sixteen bytes. */
function stamp(digest: Buffer, version: number): string {
  digest[6] = ((digest[6] ?? 0) & 0x0f) | version;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  return digest.toString('hex', 0, 16);
}

function* hmacs(message: string, key: string, name: string): Generator<DerivedForm> {
  for (const algorithm of digests) {
    const digest = createHmac(algorithm, key).update(message).digest();
    yield* encodings(digest, `${name} (${algorithm.toUpperCase()})`);
  }
}

function* encodings(bytes: Buffer, name: string): Generator<DerivedForm> {
  const hex = bytes.toString('hex');
  const digits = Buffer.from(hex);
  yield { text: hex, name: `${name} in hexadecimal` };
  yield { text: bytes.toString('base64'), name: `${name} in Base64` };
  yield { text: bytes.toString('base64url'), name: `${name} in Base64url` };
  yield { text: digits.toString('base64'), name: `${name} in hexadecimal and Base64` };
  yield {
    text: digits.reverse().toString(),
    name: `${name} in hexadecimal, reversed`,
  };
}
