import { offsetText, parseExpireDt, toInstant } from './expiry.ts';

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
  /** The zone to name first where it fits: an IANA name or offset. */
  readonly preferredTimeZone?: string | undefined;
}

/** Longer ones leave too many offsets to say anything. */
const longestLifetime = 2 * 3600;

/** Minutes east of UTC of every offset in use. */
// biome-ignore format: a line for each side of Greenwich
const offsetsInUse = [
  -720, -660, -600, -570, -540, -480, -420, -360, -300, -240, -210, -180, -150, -120, -60, 0,
  60, 120, 180, 210, 240, 270, 300, 330, 345, 360, 390, 420, 480, 525, 540, 570, 600, 630, 660, 720, 765, 780, 825, 840,
];

/**
 * The offsets under which the token lives for two hours at most, the likeliest first: the preferred
 * zone, then usual lifetimes, then short ones. Lifetimes are open in the interface (section 8), so
 * these are suggestions and never applied. Empty without a usable `Date` header.
 */
export function fittingOffsets(evidence: ExpiryEvidence): readonly FittingOffset[] {
  const ahead = secondsAhead(evidence);
  if (ahead === undefined) return [];
  const rank = ({ offset, lifetimeSeconds }: FittingOffset): number => {
    if (offset === preferredOffset(evidence)) return 0;
    return isUsual(lifetimeSeconds) ? 1 : 2;
  };
  return offsetsInUse
    .map((minutes) => ({
      offset: offsetText(minutes),
      lifetimeSeconds: ahead - minutes * 60,
    }))
    .filter(({ lifetimeSeconds: life }) => life > 0 && life <= longestLifetime)
    .sort((a, b) => rank(a) - rank(b) || a.lifetimeSeconds - b.lifetimeSeconds);
}

/** For how long the token had expired, read in this zone, when the response was sent; undefined if it hadn't. */
export function expiredSeconds(evidence: ExpiryEvidence, timeZone: string): number | undefined {
  const wall = parseExpireDt(evidence.expireDt);
  const sentAt = readDate(evidence.dateHeader);
  if (wall === undefined || sentAt === undefined) return undefined;
  const over = Math.round((sentAt - toInstant(wall, timeZone).getTime()) / 1000);
  return over > 0 ? over : undefined;
}

/** From the response to the expiry, if that is in UTC. */
function secondsAhead({ expireDt, dateHeader }: ExpiryEvidence): number | undefined {
  const wall = parseExpireDt(expireDt);
  const sentAt = readDate(dateHeader);
  if (wall === undefined || sentAt === undefined) return undefined;
  return Math.round((wall.getTime() - sentAt) / 1000);
}

/** RFC 9110 section 5.6.7: a Date header is in GMT; anything else would be read by the local clock. */
function readDate(header: string | undefined): number | undefined {
  const instant = header?.endsWith(' GMT') ? Date.parse(header) : Number.NaN;
  return Number.isNaN(instant) ? undefined : instant;
}

function preferredOffset({ expireDt, preferredTimeZone }: ExpiryEvidence): string | undefined {
  const wall = parseExpireDt(expireDt);
  if (wall === undefined || preferredTimeZone === undefined) return undefined;
  const instant = toInstant(wall, preferredTimeZone).getTime();
  return offsetText(Math.round((wall.getTime() - instant) / 60_000));
}

const usualMinutes = [1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120];

/** Whether this may be a usual lifetime of which a few seconds have passed. */
function isUsual(seconds: number): boolean {
  return usualMinutes.some((minutes) => seconds <= minutes * 60 + 1 && seconds >= minutes * 60 - 5);
}
