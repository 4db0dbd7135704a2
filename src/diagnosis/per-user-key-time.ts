import { hash } from 'node:crypto';

const secondMs = 1000;
const dayMs = 86_400_000;

/** By how much the clock of the application may differ from this one. */
const clockMs = 120 * secondMs;

/**
 * Eight hexadecimal digits say little: over an alphabet of ten of them, which hold the digits of
 * now, every second of this window comes by chance once in 10^8. So it is short.
 */
const shortClockMs = 15 * secondMs;

/**
 * What of a key is the time at which it was made, as the end of a sentence; undefined for nothing.
 * In a random key this is seen by chance at most this often, over the worst ten symbols, which are
 * those that now is written with (every instant of a window is one of 10^n strings of n places):
 *
 *     decimal seconds at either end: 2 ends of 239 in 10^10                       5e-8
 *     decimal milliseconds at either end: 2 ends of 239,999 in 10^13              5e-8
 *     hexadecimal seconds at the beginning: 29 in 10^8                            2.9e-7
 *     a written date at one of 19 places: 172,799 in 10^14                        3.3e-8
 *     a version 1 UUID: 2 values of its highest 7 digits, its version and variant 4e-9
 *
 * Together 4.3e-7; with the signs of weakness, of which such an alphabet can't spell the words,
 * 5.6e-7.
 */
export function findTime(key: string, now: number): string | undefined {
  return (
    findDecimal(key, now) ??
    findHexadecimal(key, now) ??
    findWritten(key, now) ??
    findUuid(key, now) ??
    findDigest(key, now)
  );
}

function findDecimal(key: string, now: number): string | undefined {
  for (const [digits, unit, name] of [
    [10, 1000, 'seconds'],
    [13, 1, 'milliseconds'],
  ] as const) {
    const near = [key.slice(0, digits), key.slice(-digits)].some(
      (part) => /^\d+$/.test(part) && Math.abs(Number(part) * unit - now) < clockMs,
    );
    if (near) return `holds the ${name} since 1970`;
  }
  return undefined;
}

/** PHP's uniqid() and BSON's ObjectId begin with the seconds in eight hexadecimal digits. */
function findHexadecimal(key: string, now: number): string | undefined {
  const head = key.slice(0, 8);
  if (!/^[0-9A-Fa-f]{8}$/.test(head)) return undefined;
  const isNear = Math.abs(Number.parseInt(head, 16) * secondMs - now) < shortClockMs;
  return isNear ? 'holds the seconds since 1970 in hexadecimal' : undefined;
}

/** yyyyMMddHHmmss in any time zone. */
function findWritten(key: string, now: number): string | undefined {
  for (const [, year, month, day, hour, minute, second] of key.matchAll(
    /(?=(20\d\d)([01]\d)([0-3]\d)([0-2]\d)([0-5]\d)([0-5]\d))/g,
  )) {
    const written = Date.UTC(
      Number(year),
      Number(month) - 1,
      ...([day, hour, minute, second].map(Number) as [number, number, number, number]),
    );
    if (Math.abs(written - now) < dayMs) return 'holds the date and time';
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
    ? 'is a UUID made of the time and the machine (version 1)'
    : undefined;
}

/** The hash of the time, which looks random and isn't: seconds of ten minutes, milliseconds of one. */
function findDigest(key: string, now: number): string | undefined {
  if (!/^[0-9A-Fa-f]{32}$/.test(key)) return undefined;
  const folded = key.toLowerCase();
  const seconds = Math.floor(now / 1000);
  for (let offset = -300; offset <= 300; offset += 1) {
    if (isDigestOf(folded, `${seconds + offset}`)) return 'is a hash of the seconds since 1970';
  }
  for (let offset = -200; offset <= 500; offset += 1) {
    if (isDigestOf(folded, `${now + offset}`)) return 'is a hash of the milliseconds since 1970';
  }
  return undefined;
}

function isDigestOf(key: string, text: string): boolean {
  return hash('md5', text) === key || hash('sha256', text).startsWith(key);
}
