import { encodeUtf8 } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';
import { isJsonObject, type JsonObject, readJson } from '../protocol/json.ts';
import { didYouMean, shorten } from '../text.ts';
import type { CheckFacts } from './check.ts';
import type { KnownFailure } from './document.ts';
import type { CheckResult } from './result.ts';
import { matches, requireMatch } from './selection.ts';

export interface BaselineJudgement {
  /** By the id of the check. */
  readonly known: ReadonlyMap<string, KnownFailure>;
  /** Entries whose checks pass; each is a failure, since it would hide the next one. */
  readonly stale: readonly KnownFailure[];
  /** Entries whose day is over. */
  readonly expired: readonly KnownFailure[];
}

/** Compares results with known failures; `today` is a day in UTC, `2027-01-31`. */
export function judgeBaseline(
  results: readonly CheckResult[],
  baseline: readonly KnownFailure[],
  today: string,
): BaselineJudgement {
  const expired = baseline.filter(({ until = today }) => until < today);
  const inForce = baseline.filter((entry) => !expired.includes(entry));
  const known = new Map<string, KnownFailure>();
  for (const { check, lacks = check.id } of results.filter(isTroubled)) {
    const covers = (id: string) => inForce.find((candidate) => matches(id, candidate.check));
    // What was not tested for want of another check is covered by the entry of that one.
    const entry = covers(check.id) ?? covers(lacks);
    if (entry !== undefined) known.set(check.id, entry);
  }
  return { known, stale: inForce.filter((entry) => isStale(entry, results)), expired };
}

/** The day of an instant in UTC: `2027-01-31`. */
export function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** Drops stale entries, and adds what failed or was not tested and no entry covers; an expired one waits for a person, who gives it another day. */
export function updateBaseline(
  results: readonly CheckResult[],
  baseline: readonly KnownFailure[],
  today: string,
): readonly KnownFailure[] {
  const kept = baseline.filter((entry) => !isStale(entry, results));
  const wrong = results.filter(
    ({ status, lacks }) => status === 'failed' || (status === 'incomplete' && lacks === undefined),
  );
  const added = wrong
    .filter(({ check }) => !kept.some((entry) => matches(check.id, entry.check)))
    .map(({ check, fault, reason }) => ({
      check: check.id,
      reason: `Found on ${today}: ${fault?.diagnosis?.code ?? fault?.observed ?? reason ?? 'failed'}`,
    }));
  return [...kept, ...added];
}

/** An entry is stale if a check that it names passed and none failed or warned. */
function isStale(entry: KnownFailure, results: readonly CheckResult[]): boolean {
  const named = results.filter(({ check }) => matches(check.id, entry.check));
  return named.some(({ status }) => status === 'passed') && !named.some(isTroubled);
}

function isTroubled({ status }: CheckResult): boolean {
  return status !== 'passed' && status !== 'skipped';
}

export const baselineSchema = 'authcli/expect/1';

const fields = ['check', 'reason', 'until'];

/**
 * Reads a file of known failures: JSON, `{"schema", "known_failures": [{check, reason, until?}]}`.
 * @throws AuthcliError `usage` for anything else, an entry without a reason, an impossible day, and a
 *   pattern that matches no check of the catalogue.
 */
export function readBaseline(text: string, catalogue: readonly CheckFacts[]) {
  const reading = readJson(encodeUtf8(text));
  if (!reading.ok || !isJsonObject(reading.value)) throw invalid('is not a JSON object');
  const { schema, known_failures: entries } = reading.value;
  if (schema !== baselineSchema) throw invalid(`has no "schema": "${baselineSchema}"`);
  if (!Array.isArray(entries)) throw invalid('has no list "known_failures"');
  return entries.map((entry: unknown, index) => readEntry(entry, index + 1, catalogue));
}

export function writeBaseline(baseline: readonly KnownFailure[]): string {
  return `${JSON.stringify({ schema: baselineSchema, known_failures: baseline }, null, 2)}\n`;
}

function readEntry(entry: unknown, place: number, catalogue: readonly CheckFacts[]): KnownFailure {
  if (!isJsonObject(entry)) throw invalid(`has an entry ${place} that is not an object`);
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
  if (!isDay(until))
    throw invalid(`has an "until" in entry ${place} that is not a date such as 2027-01-31`);
  return { check, reason, until };
}

function textOf(entry: JsonObject, name: string, place: number): string {
  const text = entry[name];
  if (typeof text === 'string' && text.trim() !== '') return text;
  const hint =
    name === 'reason' ? 'Give a reason for each known failure, for the next reader.' : '';
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
