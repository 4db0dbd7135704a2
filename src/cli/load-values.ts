import { usage } from './hints.ts';
import { duration, quote } from './values.ts';

/** A number above zero, with decimals or without. */
export function positive(text: string): number {
  const value = /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : 0;
  if (value > 0 && value <= 1_000_000) return value;
  throw usage(`${quote(text)} is not a number above 0.`, 'For example 50, or 0.5.');
}

/** A part of a schedule: `30s:100`. */
export function stage(text: string): { readonly durationMs: number; readonly rate: number } {
  const [, time = '', rate = ''] = /^([^:]+):(\d+(?:\.\d+)?)$/.exec(text.trim()) ?? [];
  if (rate === '' || Number(rate) > 1_000_000) {
    throw usage(
      `${quote(text)} is not DURATION:RATE.`,
      'For example 30s:100, within 30 s to 100 a second.',
    );
  }
  return { durationMs: duration(time), rate: Number(rate) };
}

/** How many may fail: `5`, or `1%` of all. */
export function errorLimit(text: string): { readonly count: number } | { readonly share: number } {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim()) ?? [];
  const value = Number(digits);
  if (percent === '%' && value <= 100) return { share: value / 100 };
  if (percent === '' && Number.isInteger(value)) return { count: value };
  throw usage(`${quote(text)} is neither a whole number nor a share.`, 'Write 0, 5 or 1%.');
}
