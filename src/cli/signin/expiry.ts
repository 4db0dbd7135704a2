import { headerOf } from '../../client/exchange.ts';
import type { TokenOutcome } from '../../client/signin.ts';
import {
  expiresAt,
  expiryReadings,
  type FittingOffset,
  fittingOffsets,
} from '../../protocol/expiry.ts';
import { escapeControls } from '../../text.ts';
import type { Session } from '../session.ts';

/** `expires_at` is null unless the time zone is set. */
export function expiryReport(
  outcome: TokenOutcome,
  timeZone: string | undefined,
): { readonly expire_dt: string | null; readonly expires_at: string | null } {
  const { result, reading } = outcome;
  const text = result?.expireDt ?? reading?.seen.expireDt;
  return {
    expire_dt: text ?? null,
    expires_at: text === undefined ? null : expiresAt(text, timeZone),
  };
}

/** While no time zone is set, its readings (decisions: time zone of expire_dt). */
export function expiryText(
  outcome: TokenOutcome,
  timeZone: string | undefined,
  session: Session,
): string | undefined {
  const { expire_dt: text, expires_at: instant } = expiryReport(outcome, timeZone);
  if (text === null) return undefined;
  if (instant !== null) return `${text} (${instant})`;
  const readings = expiryReadings(text, session.context.localTimeZone());
  if (readings === undefined) return escapeControls(text);
  const { headers = [] } = outcome.exchange.response ?? {};
  const fitting = fittingOffsets({ expireDt: text, dateHeader: headerOf(headers, 'date') });
  const suggested =
    fitting.length === 0 ? '' : `; by the Date header of the response, ${offsetsInWords(fitting)}`;
  const { utc, local } = readings;
  const read =
    utc === local ? `${utc} if it is UTC or local` : `${utc} if it is UTC, ${local} if it is local`;
  return `${text} (time zone not set: ${read}${suggested})`;
}

/** "+09:00 if tokens live 10 min, +08:00 if 1 h 10 min" */
function offsetsInWords(fitting: readonly FittingOffset[]): string {
  return fitting
    .map(({ offset, lifetimeSeconds: seconds }, index) =>
      [offset, index === 0 ? 'if tokens live' : 'if', durationText(seconds)].join(' '),
    )
    .join(', ');
}

/** "45 s", "10 min", "9 h 10 min" */
function durationText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}
