import { normaliseName } from './response-fields.ts';
import { type Pair, pairsOf } from './user-info-formats.ts';

/** The user information inside `ubifill` (section 2.3). */
export interface UserInformation {
  readonly email?: string;
  readonly name?: string;
  readonly phone?: string;
  /** Everything else: by name, nested ones with their path, nameless ones by their place. */
  readonly other: Readonly<Record<string, unknown>>;
  /** The text as it came. */
  readonly raw: string;
}

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

const attributes = ['email', 'name', 'phone'] as const;

/** The user information as it is sent: a JSON object of what is given, in the order email, name, phone. */
export function encodeUserInformation({
  email,
  name,
  phone,
}: Readonly<Partial<Record<Attribute, string>>>): string {
  return JSON.stringify({ email, name, phone });
}

/**
 * Reads decrypted user information, whose form section 2.3 leaves open: JSON, XML, form encoding,
 * lines or pieces of `name: value`, or bare pieces between separators. The three attributes are
 * found under their usual names, else by what they look like. Never throws.
 */
export function readUserInformation(text: string): UserInformation {
  const { found, rest } = takeAttributes(text);
  const attributes = Object.entries(found).map(([name, { value }]) => [name, String(value)]);
  const other = Object.fromEntries(rest.map(({ path, value }) => [path, value]));
  return { ...Object.fromEntries(attributes), other, raw: text };
}

interface Taken {
  readonly found: Readonly<Partial<Record<Attribute, Pair>>>;
  readonly rest: readonly Pair[];
}

function takeAttributes(text: string): Taken {
  const pairs = pairsOf(text);
  const named = takeNamed(pairs.filter(({ name }) => name !== undefined));
  const nameless = takeNameless(
    pairs.filter(({ name }) => name === undefined),
    named.found,
  );
  return { found: { ...named.found, ...nameless.found }, rest: [...named.rest, ...nameless.rest] };
}

function takeNamed(pairs: readonly Pair[]): Taken {
  const found: Partial<Record<Attribute, Pair>> = {};
  const used = new Set<Pair>();
  for (const attribute of attributes) {
    const pair = bestOf(pairs, usualNames[attribute]);
    if (pair === undefined) continue;
    found[attribute] = pair;
    used.add(pair);
  }
  return { found, rest: pairs.filter((pair) => !used.has(pair)) };
}

/** The pair of the likeliest name, the first of several. */
function bestOf(pairs: readonly Pair[], names: readonly string[]): Pair | undefined {
  const rank = ({ name = '' }: Pair) => names.indexOf(plainName(name));
  const candidates = pairs.filter((pair) => isText(pair.value) && rank(pair) !== -1);
  return candidates.toSorted((left, right) => rank(left) - rank(right))[0];
}

function plainName(name: string): string {
  return normaliseName(name).replace(/^(?:user|member|customer|cust|usr|ptn)(?=.)/, '');
}

function isText(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function takeNameless(pairs: readonly Pair[], known: Taken['found']): Taken {
  const found: Partial<Record<Attribute, Pair>> = {};
  const rest = pairs.filter((pair) => {
    const { value } = pair;
    const attribute = typeof value === 'string' ? attributeOf(value) : undefined;
    if (attribute === undefined || (known[attribute] ?? found[attribute]) !== undefined)
      return true;
    found[attribute] = pair;
    return false;
  });
  return { found, rest };
}

/** An `@` makes an e-mail address, seven or more digits and nothing but signs a number, letters a name. */
function attributeOf(text: string): Attribute | undefined {
  if (/^[^\s@{}"<>=:;,|]{1,64}@[^\s@{}"<>=:;,|]{1,255}$/.test(text)) return 'email';
  if (/^\+?[\d\s().-]{7,24}$/.test(text) && text.replace(/\D/g, '').length >= 7) return 'phone';
  const hasLetter = /[A-Za-z]/.test(text) || /\p{L}/u.test(text);
  return hasLetter && text.length <= 200 && !/[@{}<>=]/.test(text) ? 'name' : undefined;
}
