import { encodeUtf8 } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';
import { readJson } from '../protocol/json.ts';
import { isJsonObject, type JsonObject } from '../protocol/json-type.ts';
import { didYouMean } from '../suggest.ts';
import { shorten } from '../text.ts';
import type { KnownFailure } from './baseline.ts';
import type { CheckFacts } from './check.ts';
import { requireMatch } from './selection.ts';

/** What the file says of itself. */
export const baselineSchema = 'authcli/expect/1';

const fields = ['check', 'reason', 'until'];

/**
 * Reads a file of known failures: JSON, `{"schema", "known_failures": [{check, reason, until?}]}`.
 * @throws AuthcliError `usage` for anything else, for an entry without a reason, for a day that is
 *   none, and for a pattern that matches no check of the catalogue.
 */
export function readBaseline(
  text: string,
  catalogue: readonly CheckFacts[],
): readonly KnownFailure[] {
  const reading = readJson(encodeUtf8(text));
  if (!reading.ok || !isJsonObject(reading.value)) throw invalid('is no JSON object');
  const { schema, known_failures: entries } = reading.value;
  if (schema !== baselineSchema) throw invalid(`does not say "schema": "${baselineSchema}"`);
  if (!Array.isArray(entries)) throw invalid('has no list "known_failures"');
  return entries.map((entry: unknown, index) => readEntry(entry, index + 1, catalogue));
}

/** The text of a file of known failures. */
export function writeBaseline(baseline: readonly KnownFailure[]): string {
  return `${JSON.stringify({ schema: baselineSchema, known_failures: baseline }, null, 2)}\n`;
}

function readEntry(entry: unknown, place: number, catalogue: readonly CheckFacts[]): KnownFailure {
  if (!isJsonObject(entry)) throw invalid(`has an entry ${place} that is no object`);
  const stranger = Object.keys(entry).find((name) => !fields.includes(name));
  if (stranger !== undefined) {
    const shown = JSON.stringify(shorten(stranger, 40));
    throw invalid(`has the unknown field ${shown} in entry ${place}`, didYouMean(stranger, fields));
  }
  const check = textOf(entry, 'check', place);
  const reason = textOf(entry, 'reason', place);
  requireMatch(check, catalogue);
  if (entry.until === undefined) return { check, reason };
  const until = textOf(entry, 'until', place);
  if (!isDay(until)) throw invalid(`has an "until" in entry ${place} that is no day (2027-01-31)`);
  return { check, reason, until };
}

function textOf(entry: JsonObject, name: string, place: number): string {
  const text = entry[name];
  if (typeof text === 'string' && text.trim() !== '') return text;
  const hint =
    name === 'reason'
      ? 'Say for each known failure why it is put up with, for who reads it next.'
      : '';
  throw invalid(`has no "${name}" in entry ${place}`, hint);
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
}

function invalid(what: string, hint = ''): AuthcliError {
  return new AuthcliError('usage', `The file of known failures ${what}.`, { hint });
}
