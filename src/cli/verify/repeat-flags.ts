import { type OptionsOf, optional } from '../args/options.ts';
import { duration, integer, nonEmpty, quote } from '../args/values.ts';
import { usage } from '../failure.ts';
import { checkChangeCommand } from './change-command.ts';
import type { VerifyOptions } from './verify-flags.ts';

/** Flags of runs that are repeated. */
export const repeatFlags = {
  every: optional('--every <duration>', 'run again and again, at this interval; one line per run', {
    parse: duration,
  }),
  times: optional('--times <n>', 'end after N runs', { parse: integer(1, 1_000_000_000) }),
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
} as const;

type RepeatOptions = OptionsOf<typeof repeatFlags>;

/** Options of runs that are repeated. */
export type RepeatedOptions = VerifyOptions & { readonly every: number };

export function isRepeated(options: VerifyOptions): options is RepeatedOptions {
  return options.every !== undefined && !options.list;
}

/** Throws `usage` for what has no meaning without --every. */
export function checkRepeatOptions({ every, times, metrics, onChange }: RepeatOptions): void {
  if (every !== undefined) {
    checkChangeCommand(onChange);
    return;
  }
  const given = { '--times': times, '--metrics': metrics, '--on-change': onChange };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    throw usage(`${name} needs --every.`, 'Add --every 5m, for a single run with --times 1.');
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
