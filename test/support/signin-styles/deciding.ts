import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  pbkdf2Sync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/** A user as an application keeps one. */
export interface KnownUser {
  readonly ptnCd: string;
  readonly key: string;
  readonly superPasscode: string;
}

/** Whether a response reports success. */
export const succeeding = {
  plain: (code) => code === '0000',
  'in-constant-time': (code) =>
    typeof code === 'string' && code.length === 4 && sameBytes(Buffer.from(code), '0000'),
  'by-a-set': (code) => new Set<unknown>(['0000']).has(code),
  'by-a-pattern': (code) => typeof code === 'string' && /^0000$/.test(code),
  'by-a-switch': (code) => {
    switch (code) {
      case '0000':
        return true;
      default:
        return false;
    }
  },
} satisfies Readonly<Record<string, (code: unknown) => boolean>>;

function sameBytes(found: Buffer, text: string): boolean {
  const right = Buffer.from(text);
  return found.length === right.length && timingSafeEqual(found, right);
}

/** The plaintext of a ptn_sp; throws where it can't be decrypted. */
function decrypted(payload: string, key: string): Buffer {
  const bytes = Buffer.from(payload, 'base64');
  const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
  return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
}

/** The same without the library's unpadding. */
function unpadded(payload: string, key: string): Buffer {
  const bytes = Buffer.from(payload, 'base64');
  if (bytes.length < 32 || bytes.length % 16 > 0) throw new Error('not whole blocks');
  const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
  decipher.setAutoPadding(false);
  const blocks = Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
  const length = blocks.at(-1) ?? 0;
  const padding = blocks.subarray(-length);
  if (length < 1 || length > 16 || padding.some((byte) => byte !== length)) {
    throw new Error('wrong padding');
  }
  return blocks.subarray(0, -length);
}

/** The stored passcode under the IV of the payload, which has to give the same payload. */
function encryptedLike(payload: string, { key, superPasscode }: KnownUser): boolean {
  const bytes = Buffer.from(payload, 'base64');
  const cipher = createCipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
  const expected = [bytes.subarray(0, 16), cipher.update(superPasscode), cipher.final()];
  return Buffer.concat(expected).equals(bytes);
}

function everyByteSame(found: Buffer, stored: Buffer): boolean {
  let difference = found.length ^ stored.length;
  for (const [index, byte] of found.entries()) difference |= byte ^ (stored[index] ?? 0);
  return difference === 0;
}

type Compare = (ptnSp: string, user: KnownUser) => boolean;

const digest = (text: string | Buffer) => createHash('sha256').update(text).digest();
const slowly = (text: string | Buffer) => pbkdf2Sync(text, 'salt of this user', 20, 32, 'sha256');

/** Whether a ptn_sp is the passcode of a user; may throw where it isn't. */
export const comparing = {
  plain: (ptnSp, { key, superPasscode }) => decrypted(ptnSp, key).toString() === superPasscode,
  'in-constant-time': (ptnSp, { key, superPasscode }) =>
    sameBytes(decrypted(ptnSp, key), superPasscode),
  'byte-by-byte': (ptnSp, { key, superPasscode }) =>
    everyByteSame(decrypted(ptnSp, key), Buffer.from(superPasscode)),
  'by-digest': (ptnSp, { key, superPasscode }) =>
    timingSafeEqual(digest(decrypted(ptnSp, key)), digest(superPasscode)),
  'by-mac': (ptnSp, { key, superPasscode }) => {
    const secret = randomBytes(32);
    const mac = (text: string | Buffer) => createHmac('sha256', secret).update(text).digest();
    return timingSafeEqual(mac(decrypted(ptnSp, key)), mac(superPasscode));
  },
  'keeps-only-a-hash': (ptnSp, { key, superPasscode }) =>
    timingSafeEqual(slowly(decrypted(ptnSp, key)), slowly(superPasscode)),
  'in-base64': (ptnSp, { key, superPasscode }) =>
    decrypted(ptnSp, key).toString('base64') === Buffer.from(superPasscode).toString('base64'),
  'by-encrypting': encryptedLike,
  'unpads-by-hand': (ptnSp, { key, superPasscode }) =>
    unpadded(ptnSp, key).toString() === superPasscode,
} satisfies Readonly<Record<string, Compare>>;

/** Finds the user whom a token response names; undefined or an exception where there is none. */
export type Find = (named: unknown, users: readonly KnownUser[]) => Promise<KnownUser | undefined>;

/** What an application reads once, and keeps by the user's code. */
function withCache(): Find {
  const kept = new Map<string, KnownUser>();
  return async (named, users) => {
    const ptnCd = String(named);
    const cached = kept.get(ptnCd);
    const user = users.find((each) => each.ptnCd === ptnCd);
    if (user !== undefined) kept.set(ptnCd, user);
    return cached ?? user;
  };
}

/** The same for keys alone, the least recently used of which are dropped. */
function withKeyCache(): Find {
  const keys = new Map<string, string>();
  return async (named, users) => {
    if (typeof named !== 'string') return undefined;
    const user = users.find(({ ptnCd }) => ptnCd === named);
    const key = keys.get(named) ?? user?.key;
    if (user === undefined || key === undefined) return undefined;
    keys.delete(named);
    keys.set(named, key);
    const [oldest = ''] = keys.keys();
    if (keys.size > 20) keys.delete(oldest);
    return { ...user, key };
  };
}

/** Ways to find a user, each made anew for an application. */
export const finding = {
  plain: (): Find => async (named, users) => users.find(({ ptnCd }) => ptnCd === named),
  'by-table': (): Find => async (named, users) => {
    const table = Object.create(null) as Record<string, KnownUser>;
    for (const user of users) table[user.ptnCd] = user;
    return table[String(named)];
  },
  'by-digest': (): Find => async (named, users) => {
    const rows = new Map(users.map((user) => [digest(user.ptnCd).toString('hex'), user]));
    return rows.get(digest(String(named)).toString('hex'));
  },
  'in-a-database': (): Find => async (named, users) => {
    await delay(5);
    if (typeof named !== 'string' || named === '') throw new Error('no user code');
    return users.find(({ ptnCd }) => Buffer.from(ptnCd).equals(Buffer.from(named)));
  },
  'keeps-users': withCache,
  'keeps-keys': withKeyCache,
} satisfies Readonly<Record<string, () => Find>>;
