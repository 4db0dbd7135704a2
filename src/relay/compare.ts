import { headerOf } from '../client/exchange.ts';
import { isJsonObject, type JsonObject, jsonTypeOf, readJson } from '../protocol/json.ts';
import type { CapturedResponse } from './capture.ts';

/** What differs between a recorded response and the one that came now. */
export interface Difference {
  /** `HTTP status`, `body`, a field such as `result.enc_partner_key`, or a header. */
  readonly what: string;
  readonly recorded: string;
  readonly replayed: string;
}

/** Headers that a client acts on; others may differ from one response to the next. */
const comparedHeaders = ['content-type', 'content-encoding', 'location', 'cache-control'];

const none = 'none';

/**
 * Compares two responses to the same request: the status, the headers that matter, the code, and
 * which fields of which types the JSON has. Messages, keys and tokens may differ. What a recording
 * doesn't contain is not compared.
 */
export function compareResponses(
  recorded: CapturedResponse | undefined,
  replayed: CapturedResponse | undefined,
): readonly Difference[] {
  if (recorded === undefined) return [];
  if (replayed === undefined) {
    return [{ what: 'response', recorded: `HTTP ${recorded.status ?? '?'}`, replayed: none }];
  }
  const statuses = [recorded.status, replayed.status].map((status) => status?.toString());
  return [
    ...difference('HTTP status', statuses[0], statuses[0] && statuses[1]),
    ...headerDifferences(recorded, replayed),
    ...(recorded.isCut || replayed.isCut ? [] : bodyDifferences(recorded, replayed)),
  ];
}

function difference(
  what: string,
  recorded: string | undefined,
  replayed: string | undefined,
): readonly Difference[] {
  if (recorded === replayed) return [];
  return [{ what, recorded: recorded ?? none, replayed: replayed ?? none }];
}

function headerDifferences(
  { headers: before }: CapturedResponse,
  { headers: after }: CapturedResponse,
): readonly Difference[] {
  if (before === undefined || after === undefined) return [];
  return comparedHeaders.flatMap((name) =>
    difference(name, normalised(headerOf(before, name)), normalised(headerOf(after, name))),
  );
}

/** Blanks and the case of a header's value mean nothing in those compared here. */
function normalised(value: string | undefined): string | undefined {
  return value?.toLowerCase().replace(/\s*;\s*/g, '; ');
}

function bodyDifferences(
  recorded: CapturedResponse,
  replayed: CapturedResponse,
): readonly Difference[] {
  const [before, after] = [recorded, replayed].map(({ body }) => readJson(body));
  const shapes = [before, after].map((reading) => (reading?.ok ? 'JSON' : 'not JSON'));
  if (!before?.ok || !after?.ok) return difference('body', shapes[0], shapes[1]);
  return [
    ...(isJsonObject(before.value) && isJsonObject(after.value)
      ? difference('code', codeOf(before.value), codeOf(after.value))
      : []),
    ...typeDifferences(typesOf(before.value), typesOf(after.value)),
  ];
}

function codeOf(body: JsonObject): string | undefined {
  return body.code === undefined ? undefined : JSON.stringify(body.code);
}

function typeDifferences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly Difference[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].flatMap((path) => difference(path, before.get(path), after.get(path)));
}

/** Deeper fields say nothing about this interface. */
const deepest = 4;

/** The type of every field, by its path; elements of an array are one. */
function typesOf(value: unknown, path = '', depth = 0): ReadonlyMap<string, string> {
  const types = new Map<string, string>([[path === '' ? 'body' : path, jsonTypeOf(value)]]);
  if (depth >= deepest || typeof value !== 'object' || value === null) return types;
  const children = Array.isArray(value)
    ? value.map((each): readonly [string, unknown] => ['[]', each])
    : Object.entries(value);
  for (const [name, child] of children) {
    const childPath = path === '' ? name : `${path}.${name}`;
    for (const [found, type] of typesOf(child, childPath, depth + 1)) types.set(found, type);
  }
  return types;
}
