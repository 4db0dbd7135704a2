import { dayMs, formatExpireDt, parseExpireDt, toInstant } from '../../protocol/expiry.ts';
import { defaulted, type OptionsOf, optional } from '../args/options.ts';
import { duration, integer, nonEmpty, quote } from '../args/values.ts';
import { usage } from '../failure.ts';
import { checkChangeCommand } from './change-command.ts';
import type { VerifyOptions } from './verify-flags.ts';

/** Flags of runs that are repeated. */
export const repeatFlags = {
  every: optional('--every <duration>', 'run again and again, at this interval; one line per run', {
    parse: duration,
  }),
  jitter: optional(
    '--jitter <duration>',
    'begin each run up to DURATION later, by chance (default: a tenth of --every)',
    { parse: duration },
  ),
  times: optional('--times <n>', 'end after N runs', { parse: integer(1, 1_000_000_000) }),
  until: optional(
    '--until <time>',
    'begin no run after TIME: 18:00 or 2027-01-31T06:00, local or with Z or +09:00',
    { input: 'word', parse: endTime },
  ),
  metrics: optional(
    '--metrics <host:port>',
    'serve metrics for Prometheus at http://HOST:PORT/metrics',
    { input: 'word', parse: hostAndPort },
  ),
  onChange: optional(
    '--on-change <command>',
    'run this program for each change, which it reads as JSON from standard input',
    { input: 'word', parse: nonEmpty },
  ),
  history: optional('--history <dir>', 'keep the report of each run in this folder', {
    input: 'path',
    parse: nonEmpty,
  }),
  keep: defaulted('--keep <n>', 'how many reports --history keeps, the newest', '2000', {
    parse: integer(1, 1_000_000),
  }),
} as const;

type RepeatOptions = OptionsOf<typeof repeatFlags>;

/** Options of runs that are repeated. */
export type RepeatedOptions = VerifyOptions & { readonly every: number };

export function isRepeated(options: VerifyOptions): options is RepeatedOptions {
  return options.every !== undefined && !options.list;
}

/** Throws `usage` for what has no meaning without --every, and for a jitter that is too long. */
export function checkRepeatOptions(options: RepeatOptions): void {
  const { every, jitter = 0 } = options;
  const names = {
    jitter: '--jitter',
    times: '--times',
    until: '--until',
    metrics: '--metrics',
    onChange: '--on-change',
    history: '--history',
  } as const;
  if (every === undefined) {
    for (const [key, name] of Object.entries(names)) {
      if (options[key as keyof typeof names] === undefined) continue;
      throw usage(`${name} needs --every.`, 'Add --every 5m, for a single run with --times 1.');
    }
    return;
  }
  checkChangeCommand(options.onChange);
  if (jitter >= every) {
    throw usage('--jitter must be shorter than --every.', 'A tenth of --every is the default.');
  }
}

/** Where metrics are served. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

function hostAndPort(text: string): Place {
  const [, bracketed, name, digits = ''] =
    /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? name;
  const port = Number(digits);
  if (host !== undefined && port <= 65_535) return { host, port };
  throw usage(`${quote(text)} is not HOST:PORT.`, 'For example 127.0.0.1:9464, or [::1]:9464.');
}

/** The instant that a text names, given the present one and the local time zone. */
export type EndTime = (now: number, timeZone: string) => number;

function endTime(text: string): EndTime {
  const [, date, clock = '', seconds = '00', zone] =
    /^(?:(\d{4}-\d\d-\d\d)[T ])?(\d\d:\d\d)(?::(\d\d))?(Z|[+-]\d\d:\d\d)?$/i.exec(text) ?? [];
  const digitsOf = (day: string): string => `${day}${clock}${seconds}`.replace(/\D/g, '');
  const isRight = parseExpireDt(digitsOf(date ?? '2027-01-01')) !== undefined;
  if (!isRight || (date === undefined && zone !== undefined)) {
    throw usage(
      `${quote(text)} is not a time.`,
      'Write 18:00, 2027-01-31T06:00 (local time), or 2027-01-31T06:00Z.',
    );
  }
  const at = (day: string, timeZone: string): number => {
    const wall = parseExpireDt(digitsOf(day)) ?? new Date(Number.NaN);
    return toInstant(wall, zone === undefined ? timeZone : utcIfZ(zone)).getTime();
  };
  return (now, timeZone) => {
    if (date !== undefined) return at(date, timeZone);
    const dayAt = (instant: number) => formatExpireDt(new Date(instant), timeZone).slice(0, 8);
    const today = at(dayAt(now), timeZone);
    return today > now ? today : at(dayAt(now + dayMs), timeZone);
  };
}

function utcIfZ(zone: string): string {
  return zone.toUpperCase() === 'Z' ? 'UTC' : zone;
}
