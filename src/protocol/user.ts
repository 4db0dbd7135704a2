import { encodeHex, type RandomBytes } from '../bytes.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import type { Secret } from '../crypto/secret.ts';
import { AuthcliError } from '../errors.ts';
import { isJsonObject, parseJsonText } from './json.ts';
import { normaliseName } from './response.ts';

/** A user is known after the key exchange, registered after registration complete (section 3). */
export type UserState = 'known' | 'registered';

/** One user of the application, as far as known. */
export interface User {
  readonly ptnCd: string;
  readonly key: Secret;
  /** The decrypted passcode; absent until the registration is complete. */
  readonly superPasscode?: Secret;
  readonly userInfo?: Secret;
  readonly state: UserState;
}

/** A user with what the service's side knows beside; the application's side gets `User` alone. */
export interface KnownUser extends User {
  /**
   * The passcode that was delivered with this key when the service was played here. It is what the
   * emulated service returns, so that a change of `superPasscode` shows as a mismatch.
   */
  readonly deliveredPasscode?: Secret;
}

/** The user information inside `ubifill` (section 2.3). */
export interface UserInformation {
  readonly email?: string;
  readonly name?: string;
  readonly phone?: string;
  /** Everything else: by name, nested ones with their path, nameless ones by their place. */
  readonly other: Readonly<Record<string, unknown>>;
  readonly raw: string;
}

/** The attributes of the user information. */
export type UserAttributes = Pick<UserInformation, Attribute>;

export type Attribute = 'email' | 'name' | 'phone';

/** Names without case and separators, and without a leading "user"; the likeliest first. */
const usualNames: Readonly<Record<Attribute, readonly string[]>> = {
  email: ['email', 'mail', 'emailaddress', 'emailaddr', 'mailaddress', 'mailaddr', 'eml'],
  name: ['name', 'fullname', 'nm', 'realname', 'displayname', 'username', 'nickname', 'user'],
  phone: [
    ...['phone', 'phonenumber', 'phoneno', 'phonenum', 'mobile', 'mobilephone', 'mobilenumber'],
    ...['mobileno', 'cellphone', 'cell', 'cellphoneno', 'handphone', 'hp', 'hpno', 'tel', 'telno'],
    ...['telephone', 'telephonenumber', 'contact'],
  ],
};

/** The user information as it is sent: a JSON object of what is given, in the order email, name, phone. */
export function encodeUserInformation({
  email,
  name,
  phone,
}: Readonly<Partial<Record<Attribute, string>>>): string {
  return JSON.stringify({ email, name, phone });
}

/**
 * Reads decrypted user information, whose form section 2.3 leaves open: JSON, form encoding, lines or pieces of
 * `name: value`, or bare pieces between separators. The three attributes are found under their usual names,
 * else by what they look like. Throws `usage` for what is no text alone.
 */
export function readUserInformation(text: string): UserInformation {
  if (typeof text !== 'string') throw new AuthcliError('usage', 'User information is a string.');
  const pairs = pairsOf(text);
  const found = new Map<Attribute, Pair>();
  for (const attribute of ['email', 'name', 'phone'] as const) {
    const pair = bestOf(pairs, usualNames[attribute]);
    if (pair !== undefined) found.set(attribute, pair);
  }
  for (const pair of pairs) {
    const isNameless = pair.name === undefined && typeof pair.value === 'string';
    const attribute = isNameless ? attributeOf(String(pair.value)) : undefined;
    if (attribute !== undefined && !found.has(attribute)) found.set(attribute, pair);
  }
  const used = new Set(found.values());
  const rest = pairs.filter((pair) => !used.has(pair));
  const attributes = [...found].map(([name, { value }]) => [name, String(value)]);
  const other = Object.fromEntries(rest.map(({ path, value }) => [path, value]));
  return { ...Object.fromEntries(attributes), other, raw: text };
}

/** What is to be hidden of user information: the whole text, and each attribute in it. */
export function userInformationTexts(info: Secret | undefined): readonly string[] {
  if (info === undefined) return [];
  const text = info.reveal();
  const { email, name, phone } = readUserInformation(text);
  return [text, email, name, phone].filter((each) => each !== undefined);
}

/** The pair of the likeliest name, the first of several. */
function bestOf(pairs: readonly Pair[], names: readonly string[]): Pair | undefined {
  const rank = ({ name = '' }: Pair) => names.indexOf(normaliseName(name).replace(owner, ''));
  const isText = (value: unknown) =>
    (typeof value === 'string' && value !== '') || typeof value === 'number';
  const candidates = pairs.filter((pair) => isText(pair.value) && rank(pair) !== -1);
  return candidates.toSorted((left, right) => rank(left) - rank(right))[0];
}

const owner = /^(?:user|member|customer|cust|usr|ptn)(?=.)/;

/** An `@` makes an e-mail address, seven or more digits and nothing but signs a number, letters a name. */
function attributeOf(text: string): Attribute | undefined {
  if (/^[^\s@{}"<>=:;,|]{1,64}@[^\s@{}"<>=:;,|]{1,255}$/.test(text)) return 'email';
  if (/^\+?[\d\s().-]{7,24}$/.test(text) && text.replace(/\D/g, '').length >= 7) return 'phone';
  return /\p{L}/u.test(text) && text.length <= 200 && !/[@{}<>=]/.test(text) ? 'name' : undefined;
}

/** A piece of user information and its name; nameless pieces have a place only. */
interface Pair {
  readonly path: string;
  readonly name?: string;
  readonly value: unknown;
}

/** More pieces than this are left unread, in the last one. */
const maxPairs = 1000;

/** Takes user information apart, whatever form it has. */
export function pairsOf(text: string): readonly Pair[] {
  const trimmed = text.replace(/^\ufeff/, '').trim();
  if (trimmed === '') return [];
  const json = /^[{["]/.test(trimmed) ? parseJsonText(trimmed) : undefined;
  if (typeof json === 'string' && json.length < trimmed.length) return pairsOf(json);
  if (typeof json === 'object' && json !== null) return jsonPairs(json);
  return formPairs(trimmed) ?? separatedPairs(trimmed);
}

/** The form of user information in a word: `json`, `xml`, `form`, or the character between its pieces. */
export function formatOf(text: string): string {
  const trimmed = text.replace(/^\ufeff/, '').trim();
  if (typeof parseJsonText(trimmed) === 'object') return 'json';
  if (trimmed.startsWith('<')) return 'xml';
  if (formPairs(trimmed) !== undefined) return 'form';
  const separator = separatorIn(trimmed);
  return separator === undefined ? 'text' : `separated by ${JSON.stringify(separator)}`;
}

/** The properties, and those of objects one level down, behind them. */
function jsonPairs(json: object): readonly Pair[] {
  const top = childrenOf('', json);
  const nested = top.filter(({ value }) => typeof value === 'object' && value !== null);
  const flat = top.filter((pair) => !nested.includes(pair));
  return [...flat, ...nested.flatMap(({ path, value }) => childrenOf(`${path}.`, value as object))];
}

function childrenOf(prefix: string, parent: object): readonly Pair[] {
  const entries: [string, unknown][] = Object.entries(parent).slice(0, maxPairs);
  return entries.map(([name, value]) => {
    const pair = { path: `${prefix}${name}`, value };
    return isJsonObject(parent) ? { ...pair, name } : pair;
  });
}

/** application/x-www-form-urlencoded: pairs between ampersands, or one encoded pair. */
function formPairs(text: string): readonly Pair[] | undefined {
  const pieces = text.split('&');
  if (!pieces.every((piece) => /^[^=\s{}()<]{1,64}=/.test(piece))) return undefined;
  if (pieces.length === 1 && /[\s|;,]/.test(text)) return undefined;
  // A plus before a number's digits was left unencoded; anywhere else it is a space.
  const encoded = text.replace(/=\+(?=\d)/g, '=%2B');
  const pairs = [...new URLSearchParams(encoded)].slice(0, maxPairs);
  return pairs.map(([name, value]) => named(name, value.trim()));
}

/** Tried in this order: what occurs in no name, address or number first. */
const separators = [...'\u001f\u001e\0|\t^\n;,/~#$:'];

/** A colon that only labels something does not separate, and nothing does in markup. */
function separatorIn(text: string): string | undefined {
  if (text.startsWith('<')) return undefined;
  return separators.find((separator) =>
    separator === ':' ? text.split(':').length > 2 : text.includes(separator),
  );
}

function separatedPairs(text: string): readonly Pair[] {
  const separator = separatorIn(text);
  const pieces = separator === undefined ? [text] : text.split(separator, maxPairs);
  return pieces
    .map((piece, index) => labelled(piece.trim(), index))
    .filter(({ value }) => value !== '');
}

function labelled(piece: string, index: number): Pair {
  const label = /^([\p{L}_][\p{L}\d_ .-]{0,40}?)\s{0,9}[:=]\s{0,9}(.*)$/su.exec(piece);
  if (label?.[1] === undefined) return { path: String(index), value: piece };
  return named(label[1], (label[2] ?? '').trim());
}

function named(name: string, value: string): Pair {
  return { path: name, name, value };
}

/** The Application Client ID where none is set. */
export const defaultClientId = 'authcli-client';

/** A new user code, `authcli-` and 12 hexadecimal digits, so that test users can be found and removed. */
export function generateUserCode(randomBytes: RandomBytes): string {
  return `authcli-${encodeHex(randomBytes(6))}`;
}

/** A new Super Passcode: 24 letters and digits. */
export function generatePasscode(randomBytes: RandomBytes): string {
  return generatePerUserKey(randomBytes, 24);
}

/** User information for a user by default; the address contains the user code. */
export function generateUserInformation(ptnCd: string): string {
  const box = ptnCd.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 40);
  const attributes = { email: `${box}@example.com`, name: 'Test User', phone: '+1-555-0100' };
  return encodeUserInformation(attributes);
}
