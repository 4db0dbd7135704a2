import {
  constantTimeEqual,
  decodeBase64Strict,
  decodeUtf8,
  encodeBase64,
  encodeHex,
  encodeUtf8,
} from '../bytes.ts';
import { algorithmOf, type Cipher, isBlockMode, ivBytesOf } from '../crypto/cipher.ts';
import { briefCipher } from '../crypto/cipher-notation.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import { decodePayload } from '../crypto/payload-format.ts';
import { fingerprintOfKey } from '../crypto/secret.ts';
import { peelEscapes, peelPercent, peelQuotes } from '../crypto/text-layers.ts';
import { assessPlaintext, type ShapeKind } from './plausibility.ts';

/** A payload's text with damage on its way undone. */
export interface Repair {
  /** What was wrong with the text, as the subject's complement: "is percent-encoded". */
  readonly damage: string;
  /** What to change where the text was made or carried. */
  readonly fix: string;
  readonly payload: string;
}

interface RepairRule extends Pick<Repair, 'damage' | 'fix'> {
  /** The text repaired; undefined where it has no such damage. */
  readonly apply: (payload: string) => string | undefined;
}

/** Longer texts are not searched for damage. */
const longest = 1_048_576;

const serialiseOnce = 'Serialise once: the text was already JSON when it was put into the field.';

const rules: readonly RepairRule[] = [
  {
    damage: 'has quotation marks inside the field',
    fix: serialiseOnce,
    apply: (payload) => peelQuotes(payload.trim())?.content,
  },
  {
    damage: 'has line ends or slashes that were escaped twice',
    fix: serialiseOnce,
    apply: (payload) => peelEscapes(payload)?.content,
  },
  {
    damage: 'is percent-encoded',
    fix: 'Do not URL-encode it: Base64 in a JSON body needs no URL encoding.',
    apply: peelPercent,
  },
  {
    damage: 'has spaces where Base64 has "+"',
    fix: 'Send it as JSON: form decoding turned "+" into a space.',
    apply: (payload) => (/\S ./.test(payload) ? payload.trim().replaceAll(' ', '+') : undefined),
  },
  {
    damage: 'is Base64 of text that is already encoded',
    fix: 'Encode the ciphertext once: the library already returned encoded text, not bytes.',
    apply: innerText,
  },
];

/** Every way in which the text may have been damaged on its way, undone. */
export function findRepairs(payload: string): Repair[] {
  if (payload.length > longest) return [];
  return rules.flatMap(({ damage, fix, apply }) => {
    const repaired = apply(payload);
    return repaired === undefined || repaired === payload
      ? []
      : [{ damage, fix, payload: repaired }];
  });
}

/** Base64 whose bytes are digits of Base64 or hexadecimal again. */
function innerText(payload: string): string | undefined {
  const bytes = decodeBase64Strict(payload.trim());
  const inner = bytes && decodeUtf8(bytes);
  return inner !== undefined && /^[A-Za-z0-9+/_-]{16,}={0,2}\s*$/.test(inner) ? inner : undefined;
}

/** Text with the marks of a passcode or of user information: digits alone, an address, JSON, markup. */
export function looksPlain(payload: string): boolean {
  const text = payload.slice(0, 4096).trim();
  return /^(?:\d{4,16}|[{<].*[}>]|[^\s@]{1,64}@[^\s@]{1,255}\.[a-z]{2,}.*)$/is.test(text);
}

/** What shows that a payload has no IV in front, though its cipher has one there: a single block. */
export function lackOfIv(payload: string, cipher: Cipher): string | undefined {
  const decoded = decodePayload(payload, cipher.encoding);
  const hasIv = cipher.iv === 'prefix' && isBlockMode(algorithmOf(cipher).mode);
  const bytes = ivBytesOf(cipher);
  if (!hasIv || !decoded.ok || decoded.bytes.length !== bytes) return undefined;
  return `its ${bytes} bytes are exactly one block, without the IV that ${briefCipher(cipher)} has in front`;
}

export const fixedIvHint =
  'Have the other side send a random IV with each payload, or compute the fixed one: `authcli cipher identify` with --known-plaintext, and another payload of the user as --payload.';

export const wholeTextHint =
  'Compare the text with what the other side sent, character by character: it may be truncated, or was never encrypted.';

/** A key to try, described without showing it: "the key sha256:…, which belongs to …". */
interface ForeignKey {
  readonly key: string;
  readonly description: string;
  readonly fix: string;
}

/** Keys of other users are tried up to this number. */
const mostOtherKeys = 10_000;

/** How much likelier than noise the text, with padding or tag, has to be, in bits. */
const enoughBits = 20;

/** The key that the payload was made with: the user's own in another form, or another known one. */
export function findForeignKey(
  payload: string,
  key: string,
  context: {
    readonly cipher: Cipher;
    readonly kind?: ShapeKind | undefined;
    readonly otherKeys?: readonly string[] | undefined;
  },
): ForeignKey | undefined {
  const others = (context.otherKeys ?? []).slice(0, mostOtherKeys).filter((other) => other !== key);
  const own = decryptPayload(payload, key, context.cipher);
  return [...foreignForms(key), ...others.map(otherKey)].find((candidate) => {
    const result = decryptPayload(payload, candidate.key, context.cipher);
    if (!result.ok || (own.ok && constantTimeEqual(result.plaintext, own.plaintext))) return false;
    const { bits, isClean } = assessPlaintext(result.plaintext, context.kind);
    return isClean && bits + checkBits(context.cipher) >= enoughBits;
  });
}

/** The evidence in the check that the cipher itself makes, at the least. */
function checkBits({ tag, padding }: Cipher): number {
  if (tag !== undefined) return 128;
  return padding === 'pkcs7' || padding === 'ansix923' ? 8 : 0;
}

/** What a per-user key may have become where it was stored. */
export interface KeyForm {
  /** "this key in lower case". */
  readonly description: string;
  readonly apply: (key: string) => string;
}

/** The likeliest first. */
export const keyForms: readonly KeyForm[] = [
  { description: 'this key in lower case', apply: (key) => key.toLowerCase() },
  { description: 'this key in upper case', apply: (key) => key.toUpperCase() },
  { description: 'this key followed by a line break', apply: (key) => `${key}\n` },
  { description: 'this key followed by a line break', apply: (key) => `${key}\r\n` },
  { description: 'this key without the white space around it', apply: (key) => key.trim() },
  { description: 'this key in quotation marks', apply: (key) => `"${key}"` },
  { description: 'this key in hexadecimal', apply: (key) => encodeHex(headOf(key)) },
  { description: 'this key in Base64', apply: (key) => encodeBase64(headOf(key)) },
  {
    description: 'this key reversed',
    apply: (key) => [...key.slice(0, 1024)].reverse().join(''),
  },
];

const headOf = (key: string): Uint8Array => encodeUtf8(key.slice(0, 1024));

function foreignForms(key: string): ForeignKey[] {
  const fix = 'Use the key exactly as it was sent in the key exchange.';
  return keyForms
    .map(({ apply, description }) => ({ key: apply(key), description, fix }))
    .filter((form) => form.key !== key);
}

function otherKey(key: string): ForeignKey {
  return {
    key,
    description: `another known key, ${fingerprintOfKey(key)}`,
    fix: "Encrypt with the key from this user's latest key exchange: store keys per ptn_cd, and replace the key at each exchange.",
  };
}
