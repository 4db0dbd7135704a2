import { AuthcliError } from '../errors.ts';
import { excerptOf } from '../text.ts';

/** What `expire_dt` looks like (section 2.1), for messages. */
export const expireDtFormat = '14 digits, yyyyMMddHH24miss';

/**
 * Reads `expire_dt`: 14 ASCII digits that are a day of the years 1 to 9999 and a time up to 23:59:59; else undefined.
 * Its time zone isn't known: the Date is the instant at which clocks in UTC show it.
 */
export function parseExpireDt(text: string): Date | undefined {
  const iso = text.replace(/^(?!0000)(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z');
  const wall = new Date(iso);
  // Date takes 30 February and 24:00 for the day after
  return iso !== text && isoToSeconds(wall) === iso ? wall : undefined;
}

/**
 * The `expire_dt` of an instant, as clocks in the time zone show it. Throws AuthcliError `usage` for an unknown time zone,
 * and TypeError for an instant outside the years 1 to 9999.
 */
export function formatExpireDt(instant: Date, timeZone: string): string {
  const offsetAt = demandOffsets(timeZone);
  const wall = new Date(instant.getTime() + offsetAt(instant.getTime()) * 1000);
  const year = wall.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) throw new TypeError('The year has not four digits.');
  return wall.toISOString().replace(/\D/g, '').slice(0, 14);
}

/**
 * `expire_dt` as ISO 8601 with the zone's offset ("2026-07-01T12:00:00+09:00"); null without a
 * time zone and for a text that isn't a date. Throws AuthcliError `usage` for an unknown time zone.
 */
export function expiresAt(text: string, timeZone?: string): string | null {
  const expireDt = parseExpireDt(text);
  if (expireDt === undefined || timeZone === undefined) return null;
  const instant = toInstant(expireDt, timeZone).getTime();
  // ISO 8601 offsets have no seconds; local mean times of old did. The instant stays exact.
  const minutes = Math.round(demandOffsets(timeZone)(instant) / 60);
  const wall = isoToSeconds(new Date(instant + minutes * 60_000));
  return isUtc(timeZone) ? wall : wall.replace('Z', offsetText(minutes));
}

/** Reads `expire_dt` in UTC and in the local zone (IANA name or offset), as ISO 8601. Undefined for a text that isn't a date. */
export function expiryReadings(text: string, localTimeZone: string) {
  const utc = expiresAt(text, 'UTC');
  const local = expiresAt(text, localTimeZone);
  return utc === null || local === null ? undefined : { utc, local };
}

/** Seconds east of UTC at an instant (milliseconds since the epoch). */
type OffsetAt = (instant: number) => number;

const maxOffset = 18 * 3600; // further than any zone has ever been; ISO 8601 libraries stop here too
export const dayMs = 86_400_000;

/**
 * Whether this names a time zone: an IANA name ("Asia/Seoul", any case), `Z`, `UTC` or `GMT`, or
 * an offset ("+09:00", "+0900", "+9").
 */
export function isTimeZone(text: string): boolean {
  return offsetsOf(text) !== undefined;
}

/**
 * The instant at which clocks in the time zone show this date and time (RFC 5545 3.3.5). Where they show it twice, the
 * earlier one: a token is better thought expired too soon. Throws AuthcliError `usage` for an unknown time zone.
 */
export function toInstant(wallTime: Date, timeZone: string): Date {
  const offsetAt = demandOffsets(timeZone);
  const wall = wallTime.getTime();
  // The offsets a day before and after: no zone changes twice within two days.
  const before = offsetAt(wall - dayMs) * 1000;
  const after = offsetAt(wall + dayMs) * 1000;
  const fitting = [wall - before, wall - after].filter(
    (instant) => instant + offsetAt(instant) * 1000 === wall,
  );
  return new Date(fitting.length === 0 ? wall - before : Math.min(...fitting));
}

/** Empty for an invalid Date. */
function isoToSeconds(date: Date): string {
  return date.toJSON()?.replace(/\.\d{3}Z$/, 'Z') ?? '';
}

function demandOffsets(timeZone: string): OffsetAt {
  const offsets = offsetsOf(timeZone);
  if (offsets !== undefined) return offsets;
  throw new AuthcliError('usage', `Unknown time zone "${excerptOf(timeZone, 40)}".`, {
    hint: 'Give an IANA name such as Asia/Seoul, or an offset such as +09:00.',
  });
}

function offsetsOf(timeZone: string): OffsetAt | undefined {
  const fixed = isUtc(timeZone) ? 0 : secondsOf(timeZone);
  if (fixed !== undefined) return Math.abs(fixed) > maxOffset ? undefined : () => fixed;
  if (!/^[a-z]/i.test(timeZone)) return undefined;
  try {
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    // "7/1/2026, GMT+09:00", of Greenwich "GMT" alone
    return (instant) => secondsOf(format.format(instant).replace(/^.*GMT/, '')) ?? 0;
  } catch {
    return undefined; // RangeError: the platform knows no such zone
  }
}

/** Of an offset: "+09:00", "+0900", "+9", "+08:27:52". */
function secondsOf(offset: string): number | undefined {
  const parts = /^([+-])(\d{1,2})(?::?([0-5]\d)(?::(\d\d))?)?$/.exec(offset);
  const [, sign, hours, minutes = '0', seconds = '0'] = parts ?? [];
  if (sign === undefined) return undefined;
  return Number(`${sign}1`) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

function isUtc(timeZone: string): boolean {
  return /^(?:Z|UTC|GMT|Etc\/UTC)$/i.test(timeZone);
}

/** "+09:00" */
function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}

/** An offset that `expire_dt` may be written in, and the lifetime of the token if it is. */
export interface FittingOffset {
  /** "+09:00" */
  readonly offset: string;
  readonly lifetimeSeconds: number;
}

/** `expire_dt` beside the moment of its response. */
export interface ExpiryEvidence {
  readonly expireDt: string;
  /** The `Date` header of the same response. */
  readonly dateHeader: string | undefined;
}

/** Of a token, in seconds; months are those of another kind. */
const longestLifetime = 31 * 86_400;

const usualLifetimes = [1, 5, 10, 15, 30, 60, 120, 180, 360, 480, 720, 1440, 10_080];

/** Whether operators set such a lifetime; a response is a few seconds younger or older than its token. */
export function isUsualLifetime(seconds: number): boolean {
  return usualLifetimes.some(
    (minutes) => seconds >= 60 * minutes - 5 && seconds <= 60 * minutes + 1,
  );
}

/** Minutes east of UTC of every offset in use. */
// biome-ignore format: a line for each side of Greenwich
export const offsetsInUse: readonly number[] = [
  -720, -660, -600, -570, -540, -480, -420, -360, -300, -240, -210, -180, -150, -120, -60, 0,
  60, 120, 180, 210, 240, 270, 300, 330, 345, 360, 390, 420, 480, 525, 540, 570, 600, 630, 660, 720, 765, 780, 825, 840,
];

/**
 * The offsets under which the token has not expired, those with a usual lifetime first, then the shortest. Lifetimes
 * are open in the interface (section 8), so these are suggestions and never applied. Empty without a usable `Date` header.
 */
export function fittingOffsets({ expireDt, dateHeader }: ExpiryEvidence): readonly FittingOffset[] {
  const wall = parseExpireDt(expireDt);
  // RFC 9110 section 5.6.7: a Date header is in GMT; anything else would be read by the local clock.
  if (wall === undefined || !dateHeader?.endsWith(' GMT')) return [];
  const usual = (each: FittingOffset) => Number(isUsualLifetime(each.lifetimeSeconds));
  const ahead = Math.round((toInstant(wall, 'UTC').getTime() - Date.parse(dateHeader)) / 1000);
  return offsetsInUse
    .map((minutes) => ({ offset: offsetText(minutes), lifetimeSeconds: ahead - minutes * 60 }))
    .filter(({ lifetimeSeconds: life }) => life > 0 && life <= longestLifetime)
    .reverse()
    .sort((a, b) => usual(b) - usual(a));
}

/** "+09:00 for 10m" */
export function fittingOffsetText({ offset, lifetimeSeconds }: FittingOffset): string {
  return `${offset} for ${lifetimeText(lifetimeSeconds)}`;
}

/** Rounded to what an operator sets: responses take a second or two. */
export function lifetimeText(seconds: number): string {
  const rounded = Math.round(seconds / 5) * 5;
  if (rounded % 3600 === 0 && rounded > 0) return `${rounded / 3600}h`;
  return rounded % 60 === 0 && rounded > 0 ? `${rounded / 60}m` : `${rounded || seconds}s`;
}
