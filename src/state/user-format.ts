import { AuthcliError } from '../errors.ts';
import { placeOf } from '../protocol/json.ts';
import { scanJson } from '../protocol/json-scanner.ts';
import { isJsonObject, ownProperty } from '../protocol/json-type.ts';
import { excerptOf } from '../text.ts';
import { type ImportedUser, readUserRow, type UserRow, userRow } from './user.ts';

/** Users that were read from an export, and what of it is not kept. */
export interface UserImport {
  readonly users: readonly ImportedUser[];
  readonly notes: readonly string[];
}

/** One row and where it stands, for messages. */
interface PlacedRow {
  readonly row: unknown;
  readonly place: string;
}

/** The users as one JSON document: an array of rows. */
export function formatUsers(users: readonly ImportedUser[]): string {
  return `${JSON.stringify(users.map(userRow), undefined, 2)}\n`;
}

/** The users as JSON Lines: one row a line. */
export function formatUserLines(users: readonly ImportedUser[]): string {
  return users.map((user) => `${JSON.stringify(userRow(user))}\n`).join('');
}

/**
 * Reads what an export wrote: a JSON array of rows, an object with such an array as `users`, or
 * JSON Lines. All of it or nothing.
 *
 * @throws AuthcliError `usage` that names the row and its field, never a value
 */
export function parseUsers(text: string): UserImport {
  const rows = placedRows(text.replace(/^\ufeff/, ''));
  const users: ImportedUser[] = [];
  const places = new Map<string, string>();
  const unknown = new Map<string, number>();
  for (const { row, place } of rows) {
    if (!isJsonObject(row)) throw unreadable(`${place} is no JSON object.`);
    const reading = readUserRow(row);
    if (!reading.ok) throw unreadable(`${place}: ${reading.problem}.`);
    const { ptnCd } = reading.user;
    const earlier = places.get(ptnCd);
    if (earlier !== undefined)
      throw unreadable(`${place}: its "ptn_cd" is that of ${earlier} too.`);
    places.set(ptnCd, place);
    users.push(reading.user);
    for (const field of reading.unknownFields) unknown.set(field, (unknown.get(field) ?? 0) + 1);
  }
  return { users, notes: [...unknown].map(([field, count]) => notKept(field, count)) };
}

/** The users as rows, for a document of which they are a part. */
export function userRows(users: readonly ImportedUser[]): readonly UserRow[] {
  return users.map(userRow);
}

function placedRows(text: string): readonly PlacedRow[] {
  if (text.trim() === '') return [];
  const whole = tryParse(text);
  if (whole !== undefined) return rowsOf(whole).map((row, at) => ({ row, place: `Row ${at + 1}` }));
  const lines = text.split('\n').map((line, at) => ({ line, number: at + 1 }));
  const filled = lines.filter(({ line }) => line.trim() !== '');
  if (filled.length < 2 || !isJsonObject(tryParse(filled[0]?.line ?? ''))) throw noJson(text);
  return filled.map(({ line, number }) => {
    const row = tryParse(line);
    if (row === undefined) throw noJson(line, number);
    return { row, place: `Line ${number}` };
  });
}

function rowsOf(json: unknown): readonly unknown[] {
  if (Array.isArray(json)) return json;
  const users = isJsonObject(json) ? ownProperty(json, 'users') : undefined;
  return Array.isArray(users) ? users : [json];
}

/** The JSON value, never undefined; undefined for text that is no JSON. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function noJson(text: string, line = 1): AuthcliError {
  const place = placeOf(text, scanJson(text).fault?.offset ?? 0);
  return unreadable(
    `The users are no JSON from line ${line + place.line - 1}, column ${place.column} on.`,
  );
}

function unreadable(message: string): AuthcliError {
  return new AuthcliError('usage', message, {
    hint: 'Each row is {"ptn_cd", "key", "super_passcode"?, "user_info"?, "state"?}; nothing was imported.',
  });
}

function notKept(field: string, count: number): string {
  const rows = count === 1 ? 'one row' : `${count} rows`;
  return `The field "${excerptOf(field, 40)}" of ${rows} is not kept.`;
}
