import { AuthcliError } from '../errors.ts';
import { excerptOf } from '../text.ts';

/** What a clock on the wall shows. */
export interface WallClock {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Seconds east of UTC at an instant (milliseconds since the epoch). */
type OffsetAt = (instant: number) => number;

const maxOffsetMinutes = 18 * 60; // further than any zone has ever been; ISO 8601 libraries stop here too
const day = 86_400_000;

/**
 * Whether this names a time zone: an IANA name ("Asia/Seoul", any case), `Z`, `UTC` or `GMT`, or
 * an offset ("+09:00", "+0900", "+9", "UTC+9").
 */
export function isTimeZone(text: string): boolean {
  return offsetsOf(text) !== undefined;
}

/** The instant at which clocks in the zone show this; gaps and overlaps as `toInstant` says. */
export function instantOfWallClock(clock: WallClock, timeZone: string): Date {
  const offsetAt = demandOffsets(timeZone);
  const wall = epochOf(clock);
  // The offsets that hold a day before and after: no zone changes twice within two days.
  const before = offsetAt(wall - day) * 1000;
  const after = offsetAt(wall + day) * 1000;
  const fitting = [wall - before, wall - after].filter(
    (instant) => instant + offsetAt(instant) * 1000 === wall,
  );
  return new Date(fitting.length === 0 ? wall - before : Math.min(...fitting));
}

/** What clocks in the zone show at an instant, parts of a second dropped. */
export function wallClockOf(instant: Date, timeZone: string): WallClock {
  const offsetAt = demandOffsets(timeZone);
  const date = new Date(instant.getTime() + offsetAt(instant.getTime()) * 1000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}

/** ISO 8601 to the second with the zone's offset, `Z` where the zone is UTC itself. */
export function isoWithOffset(instant: Date, timeZone: string): string {
  // ISO 8601 offsets have no seconds; local mean times of old did. The instant stays exact.
  const minutes = Math.round(demandOffsets(timeZone)(instant.getTime()) / 60);
  const wall = new Date(instant.getTime() + minutes * 60_000)
    .toISOString()
    .replace(/\.\d{3}Z$/, '');
  return wall + (isUtc(timeZone) ? 'Z' : offsetText(minutes));
}

function demandOffsets(timeZone: string): OffsetAt {
  const offsets = offsetsOf(timeZone);
  if (offsets !== undefined) return offsets;
  throw new AuthcliError('usage', `There is no time zone "${excerptOf(timeZone, 40)}".`, {
    hint: 'Give an IANA name such as Asia/Seoul, or an offset such as +09:00.',
  });
}

function offsetsOf(timeZone: string): OffsetAt | undefined {
  if (isUtc(timeZone)) return () => 0;
  const minutes = fixedOffset(timeZone);
  if (minutes !== undefined)
    return Math.abs(minutes) <= maxOffsetMinutes ? () => minutes * 60 : undefined;
  return /^[a-z]/i.test(timeZone) ? offsetsOfName(timeZone) : undefined;
}

function isUtc(timeZone: string): boolean {
  return /^(?:Z|UTC|GMT|Etc\/UTC)$/i.test(timeZone);
}

/** Minutes east of UTC of an offset; NaN for one whose minutes are none, undefined for another text. */
function fixedOffset(text: string): number | undefined {
  const parts = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(text);
  if (parts === null) return undefined;
  const [, sign, hours, minutes = '0'] = parts;
  if (Number(minutes) > 59) return Number.NaN;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function offsetsOfName(timeZone: string): OffsetAt | undefined {
  const format = formatFor(timeZone);
  if (format === undefined) return undefined;
  return (instant) => (shownBy(format, instant) - Math.floor(instant / 1000) * 1000) / 1000;
}

function formatFor(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      timeZone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined; // RangeError: the platform knows no such zone
  }
}

/** What the zone's clocks show, as if it were UTC, in milliseconds since the epoch. */
function shownBy(format: Intl.DateTimeFormat, instant: number): number {
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const year = parts.get('era')?.startsWith('B') ? 1 - part('year') : part('year');
  return epochOf({
    year,
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    second: part('second'),
  });
}

/** Date.UTC, which takes the years 0 to 99 for the 1900s, without that. */
function epochOf({ year, month, day, hour, minute, second }: WallClock): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(hour, minute, second);
}

function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}
