import { Secret } from '../crypto/secret.ts';
import { type JsonObject, otherProperties, ownProperty } from '../protocol/json-type.ts';

/** A user is known after the key exchange, registered after registration complete. */
export type UserState = 'known' | 'registered';

/** What is known locally of one user of the application. */
export interface KnownUser {
  /** The application user code. */
  readonly ptnCd: string;
  /** The per-user key. */
  readonly key: Secret;
  /** The passcode that a sign-in is compared with. */
  readonly superPasscode?: Secret;
  /**
   * The passcode that was delivered with this key when the service was played here. It is what the
   * emulated service returns, so that a change of `superPasscode` shows as a mismatch.
   */
  readonly deliveredPasscode?: Secret;
  /** The user information as it was sent, as text. */
  readonly userInfo?: Secret;
  readonly state: UserState;
}

/** A user as stored, with the time of the last change (ISO 8601, UTC). */
export interface StoredUser extends KnownUser {
  readonly updatedAt: string;
}

/** A user as an import has it: the time of its last change may be known. */
export interface ImportedUser extends KnownUser {
  readonly updatedAt?: string;
}

/** A user as it stands in a file, an export or an import; names as on the wire. */
export interface UserRow {
  readonly ptn_cd: string;
  readonly key: string;
  readonly super_passcode?: string;
  readonly delivered_passcode?: string;
  readonly user_info?: string;
  readonly state: UserState;
  readonly updated_at?: string;
}

/** What a JSON object that should be a user turned out to be; a problem never holds a value. */
export type UserRowReading =
  | {
      readonly ok: true;
      readonly user: ImportedUser;
      readonly unknownFields: readonly string[];
    }
  | { readonly ok: false; readonly problem: string };

const fields = [
  'ptn_cd',
  'key',
  'super_passcode',
  'delivered_passcode',
  'user_info',
  'state',
  'updated_at',
] as const;

type Field = (typeof fields)[number];

/**
 * Reads one row: `ptn_cd` and `key` must be there and not be empty; null counts as missing. A
 * `state` that is missing follows from whether there is a passcode.
 */
export function readUserRow(row: JsonObject): UserRowReading {
  const text = (field: Field) => (ownProperty(row, field) ?? undefined) as string | undefined;
  const problem = fields.map((field) => problemOf(field, ownProperty(row, field) ?? undefined));
  const first = problem.find((found) => found !== undefined);
  if (first !== undefined) return { ok: false, problem: first };
  const secret = (field: Field) => Secret.optional(text(field));
  const superPasscode = secret('super_passcode');
  const user = {
    ptnCd: text('ptn_cd') ?? '',
    key: Secret.key(text('key') ?? ''),
    ...defined({
      superPasscode,
      deliveredPasscode: secret('delivered_passcode'),
      userInfo: secret('user_info'),
      updatedAt: text('updated_at'),
    }),
    state:
      (text('state') as UserState | undefined) ??
      (superPasscode === undefined ? 'known' : 'registered'),
  };
  return {
    ok: true,
    user,
    unknownFields: Object.keys(otherProperties(row, [...fields, 'version'])),
  };
}

/** The user as a row for a file or an export, secrets in clear, its fields in a fixed order. */
export function userRow(user: ImportedUser): UserRow {
  return {
    ptn_cd: user.ptnCd,
    key: user.key.reveal(),
    ...defined({
      super_passcode: user.superPasscode?.reveal(),
      delivered_passcode: user.deliveredPasscode?.reveal(),
      user_info: user.userInfo?.reveal(),
    }),
    state: user.state,
    ...defined({ updated_at: user.updatedAt }),
  };
}

function problemOf(field: Field, value: unknown): string | undefined {
  const required = field === 'ptn_cd' || field === 'key';
  if (value === undefined) return required ? `"${field}" is missing` : undefined;
  if (typeof value !== 'string') return `"${field}" must be text`;
  if (required && value === '') return `"${field}" is empty`;
  if (field === 'state' && value !== 'known' && value !== 'registered') {
    return '"state" must be "known" or "registered"';
  }
  if (field === 'updated_at' && Number.isNaN(Date.parse(value))) {
    return '"updated_at" must be a time as ISO 8601 writes it';
  }
  return undefined;
}

/** Without the properties that are undefined. */
function defined<T extends object>(properties: T): Partial<T> {
  const entries = Object.entries(properties).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}
