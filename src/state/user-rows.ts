import { Secret } from '../crypto/secret.ts';
import { AuthcliError } from '../errors.ts';
import {
  isJsonObject,
  type JsonObject,
  parseJsonText,
  placeOf,
  scanJson,
} from '../protocol/json.ts';
import type { KnownUser } from '../protocol/user.ts';
import { ownProperty } from '../text.ts';

/** The fields of a row in their order, named as on the wire, and the user's property for each. */
const properties = {
  ptn_cd: 'ptnCd',
  key: 'key',
  super_passcode: 'superPasscode',
  delivered_passcode: 'deliveredPasscode',
  user_info: 'userInfo',
  state: 'state',
} as const satisfies Readonly<Record<string, keyof KnownUser>>;

type Field = keyof typeof properties;
const fields = Object.keys(properties) as readonly Field[];

/**
 * Reads one row. Null counts as missing; a missing `state` follows from the passcode.
 *
 * @throws what `damaged` makes of a problem, which never contains a value
 */
export function readUserRow(
  json: JsonObject,
  damaged: (problem: string) => AuthcliError,
): KnownUser {
  const text = (field: Field): string | undefined => {
    const value = ownProperty(json, field) ?? undefined;
    if (value !== undefined && typeof value !== 'string') throw damaged(`"${field}" must be text`);
    return value;
  };
  const required = (field: Field): string => {
    const value = text(field);
    if (value === undefined) throw damaged(`"${field}" is missing`);
    if (value === '') throw damaged(`"${field}" is empty`);
    return value;
  };
  const user = {
    ptnCd: required('ptn_cd'),
    key: Secret.key(required('key')),
    superPasscode: Secret.optional(text('super_passcode')),
    deliveredPasscode: Secret.optional(text('delivered_passcode')),
    userInfo: Secret.optional(text('user_info')),
  };
  const state = text('state') ?? (user.superPasscode === undefined ? 'known' : 'registered');
  if (state !== 'known' && state !== 'registered')
    throw damaged('"state" must be "known" or "registered"');
  return { ...user, state };
}

/** The user as a row, with secrets in clear. */
export function userRow(user: KnownUser): Readonly<Partial<Record<Field, string>>> {
  return Object.fromEntries(fields.map((field) => [field, Secret.textOf(user[properties[field]])]));
}

/**
 * Reads an export, a JSON array of rows or JSON Lines; fields that it doesn't know are ignored.
 *
 * @throws AuthcliError `usage` that names the row and its field, never a value
 */
export function parseUsers(text: string): readonly KnownUser[] {
  const places = new Map<string, string>();
  return placedRows(text).map(({ row, place }) => {
    if (!isJsonObject(row)) throw unreadable(`${place} is not a JSON object.`);
    const user = readUserRow(row, (problem) => unreadable(`${place}: ${problem}.`));
    const { ptnCd } = user;
    const earlier = places.get(ptnCd);
    if (earlier !== undefined)
      throw unreadable(`${place}: its "ptn_cd" is that of ${earlier} too.`);
    places.set(ptnCd, place);
    return user;
  });
}

/** The rows, and their places for messages. */
function placedRows(text: string): readonly { readonly row: unknown; readonly place: string }[] {
  if (text.trim() === '') return [];
  const whole = parseJsonText(text);
  if (whole !== undefined)
    return [whole].flat().map((row, at) => ({ row, place: `Row ${at + 1}` }));
  const lines = text.split('\n').map((line, at) => ({ line, number: at + 1 }));
  const filled = lines.filter(({ line }) => line.trim() !== '');
  if (filled.length < 2 || !isJsonObject(parseJsonText(filled[0]?.line ?? ''))) throw notJson(text);
  return filled.map(({ line, number }) => {
    const row = parseJsonText(line);
    if (row === undefined) throw notJson(line, number);
    return { row, place: `Line ${number}` };
  });
}

function notJson(text: string, line = 1): AuthcliError {
  const place = placeOf(text, scanJson(text).fault?.offset ?? 0);
  return unreadable(
    `The file is not valid JSON at line ${line + place.line - 1}, column ${place.column}.`,
  );
}

function unreadable(message: string): AuthcliError {
  return new AuthcliError('usage', message, {
    hint: 'Each row is {"ptn_cd", "key", "super_passcode"?, "user_info"?, "state"?}; nothing was imported.',
  });
}
