import type { KeyBits } from '../../client/key-pair.ts';
import { Secret } from '../../crypto/secret.ts';
import { didYouMean, shorten } from '../../text.ts';
import { usage } from '../failure.ts';

/** A secret that is not empty. */
export function secretText(text: string): Secret {
  return Secret.text(nonEmpty(text));
}

/** A per-user key that is not empty; any length is allowed. */
export function perUserKey(text: string): Secret {
  return Secret.key(nonEmpty(text));
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** A duration in milliseconds: `250ms`, `10s`, `1.5m`, `2h`; a bare number is seconds. */
export function duration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim());
  const unit = (match?.[2] ?? 's') as keyof typeof unitMs;
  const ms = match === null ? Number.NaN : Math.round(Number(match[1]) * unitMs[unit]);
  if (!(ms > 0) || ms > 2 ** 31 - 1)
    throw usage(
      `${quote(text)} is not a duration from 1ms to 596h.`,
      'Write 250ms, 10s, 2m or 1h; a bare number is seconds.',
    );
  return ms;
}

/** An instant in milliseconds since the epoch: a date, with or without a time; UTC unless it has an offset. */
export function instant(text: string): number {
  const written =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?))? ?(Z|[+-]\d\d:\d\d)?$/.exec(
      text.trim(),
    );
  const [, day, clock = '00:00', offset = 'Z'] = written ?? [];
  const at = Date.parse(`${day}T${clock}${offset}`);
  if (!Number.isNaN(at)) return at;
  throw usage(
    `${quote(text)} is not an instant.`,
    'Write 2026-11-27, "2026-11-27 03:04:05" or 2026-11-27T03:04:05+09:00; without an offset it is UTC.',
  );
}

/** Reads a whole number from `min` to `max`. */
export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw usage(`${quote(text)} is not a whole number from ${min} to ${max}.`);
  };
}

/** Reads one of several words. */
export function choice<Word>(choices: readonly Word[]): (text: string) => Word {
  return (text) => {
    const words = choices.map(String);
    const found = choices[words.indexOf(text)];
    if (found !== undefined) return found;
    throw usage(`${quote(text)} is not one of ${words.join(', ')}.`, didYouMean(text, words));
  };
}

/** The modulus of a key pair, in bits. */
export const keySizes: readonly KeyBits[] = [2048, 3072, 4096];

/** Names and values as RFC 9110 section 5 allows them. */
export function header(text: string): readonly [string, Secret] {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\r\n\0]*)$/.exec(text);
  if (match === null)
    throw usage('A header has the form "Name: value".', 'For example: "X-Api-Key: env:API_KEY".');
  return [match[1] ?? '', Secret.text((match[2] ?? '').trim())];
}

/** Refuses an empty text. */
export function nonEmpty(text: string): string {
  if (text === '') throw usage('The value is empty.');
  return text;
}

/** The value, quoted and shortened for a message; not for secrets. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text, 60));
}
