import { createHash } from 'node:crypto';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Clocks of two machines differ by this at most, and by time zones where hours are written out. */
const clockMs = 5 * minuteMs;

/**
 * What of a key is the time at which it was made, as the end of a sentence; undefined for nothing.
 * In random keys this is seen, by chance: decimal seconds or milliseconds at either end 2.4e-7
 * (ten digits as alphabet), hexadecimal seconds or microseconds at either end 2.8e-7 (16 digits),
 * a written date 4e-8, a version 1 UUID 2e-8.
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
      (part) => /^\d+$/.test(part) && isNear(Number(part) * unit, now),
    );
    if (near) return `holds the ${name} since 1970`;
  }
  return undefined;
}

/** PHP's uniqid() and BSON's ObjectId begin with the seconds in eight hexadecimal digits. */
function findHexadecimal(key: string, now: number): string | undefined {
  const near = [key.slice(0, 8), key.slice(-8)].some(
    (part) => /^[0-9a-f]{8}$/i.test(part) && isNear(Number.parseInt(part, 16) * 1000, now),
  );
  return near ? 'holds the seconds since 1970 in hexadecimal' : undefined;
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
  return Math.abs(made - now) < dayMs
    ? 'is a UUID made of the time and the machine (version 1)'
    : undefined;
}

/** The hash of the time, which looks random and isn't: seconds of ten minutes, milliseconds of one. */
function findDigest(key: string, now: number): string | undefined {
  if (!/^[0-9a-f]{32}$/i.test(key)) return undefined;
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
  return (
    createHash('md5').update(text).digest('hex') === key ||
    createHash('sha256').update(text).digest('hex').startsWith(key)
  );
}

function isNear(instant: number, now: number): boolean {
  return Math.abs(instant - now) < clockMs;
}
