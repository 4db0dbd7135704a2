import type { Diagnosis } from '../errors.ts';
import { findDerivedForm } from './derived-forms.ts';
import { findTime } from './per-user-key-time.ts';
import { diagnoseKey } from './per-user-key-words.ts';

export interface OriginContext {
  readonly ptnCd?: string;
  readonly clientId?: string;
  readonly now?: number;
}

/** Shorter keys say too little. */
const shortestKey = 16;

/** A code of ten characters stands in a random key of ten symbols by chance once in 400 million. */
const longCode = 10;

/** Without so many hexadecimal digits in a row, a key neither holds a longer run nor is part of one. */
const hexRun = /[0-9A-Fa-f]{10}/;

/** Whether a key follows from what others know: the user code, the client, the time; undefined where not. */
export function findOrigin(key: string, context: OriginContext): Diagnosis | undefined {
  if (key.length < shortestKey || key.length > 256) return undefined;
  const form = findForm(key, context);
  if (form !== undefined) {
    return diagnoseKey('key-from-user-code', `The key is ${form}: whoever knows that has the key.`);
  }
  const time = context.now === undefined ? undefined : findTime(key, context.now);
  if (time === undefined) return undefined;
  return diagnoseKey(
    'key-predictable',
    `The key ${time}: whoever knows when it was made can find it.`,
  );
}

function findForm(key: string, { ptnCd, clientId }: OriginContext): string | undefined {
  const folded = key.toLowerCase();
  const match = (text: string): string | undefined => matchForm(folded, text);
  return findDerivedForm({ match, withHex: hexRun.test(key) }, ptnCd, clientId);
}

/** How a form fills the key: wholly, cut at one end, repeated, or filled up with one character. */
function matchForm(key: string, form: string): string | undefined {
  if (form === '') return undefined;
  if (form === key) return '';
  if (form.length > key.length) {
    if (form.startsWith(key)) return `, cut after ${key.length} characters`;
    return form.endsWith(key) ? `, its last ${key.length} characters` : undefined;
  }
  if (key.startsWith(form) && form.repeat(Math.ceil(key.length / form.length)).startsWith(key)) {
    return ', repeated';
  }
  const rest = key.startsWith(form)
    ? key.slice(form.length)
    : key.endsWith(form)
      ? key.slice(0, -form.length)
      : undefined;
  if (rest !== undefined && new Set(rest).size === 1 && form.length >= 3) {
    return `, filled up with ${rest.length} equal characters`;
  }
  return form.length >= longCode && key.includes(form)
    ? ', with other characters beside it'
    : undefined;
}
