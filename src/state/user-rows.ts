import { Secret } from '../crypto/secret.ts';
import { AuthcliError } from '../errors.ts';
import {
  isJsonObject,
  type JsonObject,
  parseJsonText,
  placeOf,
  scanJson,
} from '../protocol/json.ts';
import type { KnownUser, UserState } from '../protocol/user.ts';
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

/** A user in a file, an export or an import. */
type UserRow = Readonly<Partial<Record<Field, string>>>;

/** A row as a user, or why it isn't one; a problem never contains a value. */
type UserRowReading =
  | { readonly ok: true; readonly user: KnownUser }
  | { readonly ok: false; readonly problem: string };

/** Reads one row. Null counts as missing; a missing `state` follows from the passcode. */
export function readUserRow(json: JsonObject): UserRowReading {
  const row = new Map(fields.map((field) => [field, ownProperty(json, field) ?? undefined]));
  const problem = fields.map((field) => problemOf(field, row.get(field))).find(Boolean);
  if (problem !== undefined) return { ok: false, problem };
  const texts = row as ReadonlyMap<Field, string | undefined>;
  const secret = (field: Field) => Secret.optional(texts.get(field));
  const superPasscode = secret('super_passcode');
  const derivedState = superPasscode === undefined ? 'known' : 'registered';
  const user = {
    ptnCd: texts.get('ptn_cd') ?? '',
    key: Secret.key(texts.get('key') ?? ''),
    ...defined({
      superPasscode,
      deliveredPasscode: secret('delivered_passcode'),
      userInfo: secret('user_info'),
    }),
    state: (texts.get('state') ?? derivedState) as UserState,
  };
  return { ok: true, user };
}

/** The user as a row, with secrets in clear. */
export function userRow(user: KnownUser): UserRow {
  const row = fields.map((field) => [field, Secret.textOf(user[properties[field]])]);
  return defined(Object.fromEntries(row));
}

function problemOf(field: Field, value: unknown): string | undefined {
  const required = field === 'ptn_cd' || field === 'key';
  if (value === undefined) return required ? `"${field}" is missing` : undefined;
  if (typeof value !== 'string') return `"${field}" must be text`;
  if (required && value === '') return `"${field}" is empty`;
  if (field === 'state' && value !== 'known' && value !== 'registered') {
    return '"state" must be "known" or "registered"';
  }
  return undefined;
}

/** Without the properties that are undefined. */
function defined<T extends object>(properties: T): Partial<T> {
  const entries = Object.entries(properties).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}

/** The users as a JSON array of rows. */
export function formatUsers(users: readonly KnownUser[]): string {
  return `${JSON.stringify(users.map(userRow), undefined, 2)}\n`;
}

/** The users as JSON Lines. */
export function formatUserLines(users: readonly KnownUser[]): string {
  return users.map((user) => `${JSON.stringify(userRow(user))}\n`).join('');
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
    const reading = readUserRow(row);
    if (!reading.ok) throw unreadable(`${place}: ${reading.problem}.`);
    const { ptnCd } = reading.user;
    const earlier = places.get(ptnCd);
    if (earlier !== undefined)
      throw unreadable(`${place}: its "ptn_cd" is that of ${earlier} too.`);
    places.set(ptnCd, place);
    return reading.user;
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
