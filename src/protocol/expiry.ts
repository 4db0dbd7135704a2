import { instantOfWallClock, isoWithOffset, wallClockOf } from './time-zone.ts';

export { isTimeZone } from './time-zone.ts';

/** What `expire_dt` looks like (section 2.1), for messages. */
export const expireDtFormat = '14 digits, yyyyMMddHH24miss';

/** A date and time of the calendar, in a time zone that the value itself doesn't tell. */
export interface ExpireDt {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/**
 * Reads `expire_dt`: 14 ASCII digits that are a day of the (proleptic Gregorian) calendar, years
 * 1 to 9999, and a time from 00:00:00 to 23:59:59. Undefined for anything else; leap seconds and
 * hour 24 are nothing that the format has.
 */
export function parseExpireDt(text: string): ExpireDt | undefined {
  const digits = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text);
  if (digits === null || digits[0].length !== text.length) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = digits
    .slice(1)
    .map(Number);
  const isTime = hour < 24 && minute < 60 && second < 60;
  const isDay = year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  return isTime && isDay ? { year, month, day, hour, minute, second } : undefined;
}

/**
 * The `expire_dt` of an instant, as clocks in the time zone (IANA name or offset) show it, parts
 * of a second dropped. Throws AuthcliError `usage` for an unknown time zone, and TypeError for an
 * instant outside the years 1 to 9999.
 */
export function formatExpireDt(instant: Date, timeZone: string): string {
  const clock = wallClockOf(instant, timeZone);
  if (!(clock.year >= 1 && clock.year <= 9999))
    throw new TypeError('The year has not four digits.');
  const { year, month, day, hour, minute, second } = clock;
  const pairs = [month, day, hour, minute, second].map((part) => String(part).padStart(2, '0'));
  return String(year).padStart(4, '0') + pairs.join('');
}

/**
 * The instant at which clocks in the time zone show this date and time. Where the clocks go
 * back and show it twice, the earlier instant: a token is rather thought expired too soon than
 * used too late. Where they go forward and never show it, as much later as they were put forward
 * (RFC 5545 section 3.3.5 decides both in the same way). Throws AuthcliError `usage` for an
 * unknown time zone.
 */
export function toInstant(expireDt: ExpireDt, timeZone: string): Date {
  return instantOfWallClock(expireDt, timeZone);
}

/**
 * `expire_dt` as ISO 8601 with the zone's offset ("2026-07-01T12:00:00+09:00"); null without a
 * time zone and for a text that is no date. Throws AuthcliError `usage` for an unknown time zone.
 */
export function expiresAt(text: string, timeZone?: string): string | null {
  const expireDt = parseExpireDt(text);
  if (expireDt === undefined || timeZone === undefined) return null;
  return isoWithOffset(toInstant(expireDt, timeZone), timeZone);
}

/** `expire_dt` as people may understand it while its time zone is not set. */
export interface ExpiryReadings {
  /** Read as UTC, as ISO 8601. */
  readonly utc: string;
  /** Read in the local zone, as ISO 8601 with its offset. */
  readonly local: string;
  /** What the answer's `Date` header makes likely. */
  readonly suggested?: SuggestedOffset;
}

/** An offset of the time zone ("+09:00"), and how long the token would live under it. */
export interface SuggestedOffset {
  readonly offset: string;
  readonly lifetimeSeconds: number;
}

/**
 * Reads `expire_dt` in UTC and in the local zone (IANA name or offset), and guesses the offset
 * from the `Date` header of the same answer. Undefined for a text that is no date.
 */
export function expiryReadings(
  text: string,
  options: { readonly localTimeZone: string; readonly dateHeader?: string },
): ExpiryReadings | undefined {
  const expireDt = parseExpireDt(text);
  if (expireDt === undefined) return undefined;
  const utc = toInstant(expireDt, 'UTC');
  const { localTimeZone, dateHeader } = options;
  const suggested = suggestOffset(utc.getTime(), dateHeader);
  return {
    utc: isoWithOffset(utc, 'UTC'),
    local: isoWithOffset(toInstant(expireDt, localTimeZone), localTimeZone),
    ...(suggested && { suggested }),
  };
}

const hour = 3600;
/** A `Date` header may be a moment older than the token's issue. */
const slack = 30;

/**
 * The one whole-hour offset under which the token lives for an hour at most. A longer life or an
 * odd offset leaves several answers, so this is a suggestion for people and never applied.
 */
function suggestOffset(
  expiryAsUtc: number,
  dateHeader: string | undefined,
): SuggestedOffset | undefined {
  // RFC 9110 section 5.6.7: a Date header is in GMT; anything else would be read by the local clock.
  const answered = dateHeader?.endsWith(' GMT') ? Date.parse(dateHeader) : Number.NaN;
  const ahead = Math.round((expiryAsUtc - answered) / 1000);
  const hours = Math.ceil((ahead - slack) / hour) - 1;
  if (Number.isNaN(hours) || hours < -12 || hours > 14) return undefined;
  const sign = hours < 0 ? '-' : '+';
  const offset = `${sign}${String(Math.abs(hours)).padStart(2, '0')}:00`;
  return { offset, lifetimeSeconds: ahead - hours * hour };
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
