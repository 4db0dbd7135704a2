import {
  type CipherGCMTypes,
  createCipheriv,
  createDecipheriv,
  createSecretKey,
} from 'node:crypto';
import {
  constantTimeEqual,
  encodeBase64,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
  type RandomBytes,
} from '../bytes.ts';
import { AuthcliError } from '../errors.ts';
import { keepingLatest } from '../latest-results.ts';
import { counted } from '../text.ts';
import {
  type Algorithm,
  algorithmOf,
  type Cipher,
  isBlockMode,
  isSalted,
  ivBytesOf,
  type Padding,
  type PayloadEncoding,
} from './cipher.ts';
import { deriveKeyMaterial, type KeyMaterial, saltBytes, saltMagic } from './key-derivation.ts';

/**
 * The step at which decryption failed; with `bad-padding` and `bad-tag` it was decrypted, but the result proves that key or
 * cipher is another one.
 */
export type PayloadFailure =
  | 'payload-encoding'
  | 'payload-length'
  | 'salt-missing'
  | 'key-unusable'
  | 'bad-padding'
  | 'bad-tag';

/** The plaintext, or the step that failed and what was seen there, without a secret. */
export type DecryptResult =
  | { readonly ok: true; readonly plaintext: Uint8Array }
  | { readonly ok: false; readonly failure: PayloadFailure; readonly detail: string };

/**
 * Encrypts a plaintext with the per-user key into a payload's text. Only GCM protects against changes on the way.
 * @throws {AuthcliError} `usage` where the key or the plaintext can't be used with the cipher
 */
export function encryptPayload(
  plaintext: Uint8Array,
  key: string,
  cipher: Cipher,
  randomBytes: RandomBytes,
): string {
  const algorithm = algorithmOf(cipher);
  const header = randomBytes(headerBytes(cipher));
  const derived = deriveKeyMaterial(key, cipher, header);
  if (!derived.ok) {
    throw new AuthcliError('usage', `The key can't be used with this cipher: ${derived.reason}.`);
  }
  requireEncryptable(plaintext, cipher);
  const { padding = 'none' } = cipher;
  const padded = pad(plaintext, padding, algorithm.blockBytes, randomBytes);
  const layout = { header, ...seal(padded, algorithm, derived) };
  return encodePayload(joinLayout(cipher, layout), cipher.encoding);
}

/** @throws {AuthcliError} `usage` for a plaintext that is not whole blocks where no padding fills them */
export function requireEncryptable(plaintext: Uint8Array, cipher: Cipher): void {
  const { mode, blockBytes } = algorithmOf(cipher);
  const { padding = 'none' } = cipher;
  if (!isBlockMode(mode) || padding !== 'none' || plaintext.length % blockBytes === 0) return;
  throw new AuthcliError(
    'usage',
    `Without padding the text must be a multiple of ${blockBytes} bytes long; it has ${plaintext.length}.`,
    { hint: 'Choose a padding, usually pkcs7.' },
  );
}

/**
 * Decrypts a payload's text with the per-user key. Never throws for what payload and key contain.
 *
 * DANGER: the outcome is a padding oracle (RFC 5652 6.3). It is for the tester alone; a server
 * must respond to all failures alike.
 */
export function decryptPayload(payload: string, key: string, cipher: Cipher): DecryptResult {
  const decoded = decodePayload(payload, cipher.encoding);
  if (!decoded.ok) return failed('payload-encoding', decoded.detail);
  return decryptBytes(decoded.bytes, key, cipher);
}

/** Like `decryptPayload`, for a payload whose encoding has been taken off. */
export function decryptBytes(bytes: Uint8Array, key: string, cipher: Cipher): DecryptResult {
  const padded = decryptPadded(bytes, key, cipher);
  if (!padded.ok || cipher.padding === undefined) return padded;
  return unpad(padded.plaintext, cipher.padding, algorithmOf(cipher).blockBytes);
}

/** The same, with the padding left on, so that a wrong one can be inspected. */
export function decryptPadded(bytes: Uint8Array, key: string, cipher: Cipher): DecryptResult {
  const started = startDecryption(bytes, key, cipher);
  if (!started.ok) return started;
  const { decipher, ciphertext, tag } = started;
  // Without padding nothing is left for the end, and without a tag nothing is found out there.
  if (tag.length === 0) return { ok: true, plaintext: decipher.update(ciphertext) };
  decipher.setAuthTag(tag);
  const plaintext = decipher.update(ciphertext);
  try {
    decipher.final();
    return { ok: true, plaintext };
  } catch {
    return failed('bad-tag', 'the authentication tag does not fit');
  }
}

/**
 * The first `size` bytes (whole blocks) of what decryption would give, without checking GCM's tag:
 * enough to see whether a long payload is worth decrypting. Undefined where the cipher can't apply.
 */
export function peekPlaintext(
  bytes: Uint8Array,
  key: string,
  cipher: Cipher,
  size: number,
): Uint8Array | undefined {
  const started = startDecryption(bytes, key, cipher);
  return started.ok ? started.decipher.update(started.ciphertext.subarray(0, size)) : undefined;
}

/** A running decryption that takes no padding off, and what it is for; or why the cipher can't apply. */
function startDecryption(bytes: Uint8Array, key: string, cipher: Cipher) {
  const algorithm = algorithmOf(cipher);
  const layout = readLayout(bytes, algorithm, cipher);
  if ('failure' in layout) return layout;
  const derived = deriveKeyMaterial(key, cipher, layout.header);
  if (!derived.ok) return failed('key-unusable', derived.reason);
  const { name, mode, tagBytes: authTagLength } = algorithm;
  // without authTagLength Node 20 and 22 take a tag cut to 12 bytes silently
  const options = mode === 'gcm' ? { authTagLength } : undefined;
  const keyObject = keyObjectOf(Buffer.from(derived.key).toString('latin1'));
  const decipher = createDecipheriv(name as CipherGCMTypes, keyObject, derived.iv, options);
  decipher.setAutoPadding(false);
  return { ok: true, decipher, ...layout } as const;
}

/**
 * Node 24 takes four times as long for a key in bytes as for a key object, and a search tries the
 * same few keys thousands of times.
 */
const keyObjectOf = keepingLatest(16, (bytes: string) => createSecretKey(bytes, 'latin1'));

function failed(failure: PayloadFailure, detail: string) {
  return { ok: false, failure, detail } as const;
}

/**
 * A payload whose decryption always fails: its padding ends in an impossible count, or its GCM tag fails. Undefined
 * where the cipher has nothing that could fail: stream modes, and the paddings `zero` and `none`.
 * @throws {AuthcliError} `usage` where the key can't be used with the cipher
 */
export function undecryptablePayload(
  key: string,
  cipher: Cipher,
  randomBytes: RandomBytes,
): string | undefined {
  const { mode } = algorithmOf(cipher);
  if (mode === 'gcm') return withWrongTag(key, cipher, randomBytes);
  const isChecked = cipher.padding !== 'none' && cipher.padding !== 'zero';
  return isBlockMode(mode) && isChecked ? withBadPadding(key, cipher, randomBytes) : undefined;
}

/** FF is not UTF-8: a reader that removes the impossible count unchecked is left with no text. */
function withBadPadding(key: string, cipher: Cipher, randomBytes: RandomBytes): string {
  const { blockBytes } = algorithmOf(cipher);
  const plaintext = new Uint8Array(3 * blockBytes).fill(0xff);
  plaintext[plaintext.length - 1] = blockBytes + 1;
  return encryptPayload(plaintext, key, { ...cipher, padding: 'none' }, randomBytes);
}

/** Text under a tag with one bit flipped (SP 800-38D 7.2): nothing but the tag speaks against it. */
function withWrongTag(key: string, cipher: Cipher, randomBytes: RandomBytes): string {
  const text = encodeUtf8(encodeBase64Url(randomBytes(12)));
  const right = encryptPayload(text, key, cipher, randomBytes);
  const bytes = Buffer.from(right, cipher.encoding);
  const layout = readLayout(bytes, algorithmOf(cipher), cipher);
  if ('tag' in layout) layout.tag[0] = (layout.tag[0] ?? 0) ^ 1; // a view, not a copy
  return encodePayload(bytes, cipher.encoding);
}

/** The block cipher of an algorithm, applied to one block: its forward function. */
export function encryptBlock(algorithm: Algorithm, key: Uint8Array, block: Uint8Array): Uint8Array {
  return createCipheriv(singleBlockName(algorithm), key, null).setAutoPadding(false).update(block);
}

/** The inverse function of the block cipher, on one block. */
export function decryptBlock(algorithm: Algorithm, key: Uint8Array, block: Uint8Array): Uint8Array {
  return createDecipheriv(singleBlockName(algorithm), key, null)
    .setAutoPadding(false)
    .update(block);
}

/** ECB of one block is the block cipher itself. */
function singleBlockName({ name, mode }: Algorithm): string {
  return name === 'des-ede3-cbc' ? 'des-ede3' : name.replace(new RegExp(`${mode}$`), 'ecb');
}

/** Encrypts whole text (padded where the mode needs it) into ciphertext and, in GCM, tag. */
function seal(
  padded: Uint8Array,
  { name, mode, tagBytes: authTagLength }: Algorithm,
  { key, iv }: KeyMaterial,
): Omit<Layout, 'header'> {
  if (mode === 'gcm') {
    const gcm = createCipheriv(name as CipherGCMTypes, key, iv, { authTagLength });
    const ciphertext = Buffer.concat([gcm.update(padded), gcm.final()]);
    return { ciphertext, tag: gcm.getAuthTag() };
  }
  const ciphertext = createCipheriv(name, key, iv).setAutoPadding(false).update(padded);
  return { ciphertext, tag: new Uint8Array() }; // whole blocks: nothing is left for the end
}

/*
 * A payload's form around its ciphertext: how its text encodes bytes, where IV, salt and tag are
 * among them, and how the last block is filled.
 */

/** The bytes that a payload's text encodes, or why it can't be decoded. */
type PayloadDecoding =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly detail: string };

const encodings = {
  base64: { title: 'Base64', stranger: /[^A-Za-z0-9+/]/, write: encodeBase64 },
  base64url: { title: 'Base64url', stranger: /[^A-Za-z0-9_-]/, write: encodeBase64Url },
  hex: { title: 'hexadecimal', stranger: /[^A-Fa-f0-9]/, write: encodeHex },
} as const;

/** The bytes as text: Base64 with padding, Base64url without, hexadecimal in small letters. */
export function encodePayload(bytes: Uint8Array, encoding: PayloadEncoding): string {
  return encodings[encoding].write(bytes);
}

/** Reads a payload's text in one encoding, as leniently as applications: white space, no `=`, unused bits, either case. */
export function decodePayload(text: string, encoding: PayloadEncoding): PayloadDecoding {
  const { title, stranger } = encodings[encoding];
  const compact = text.replace(/\s+/g, '');
  const digits = encoding === 'hex' ? compact : compact.replace(/={1,2}$/, '');
  const at = digits.search(stranger);
  if (at >= 0) return { ok: false, detail: describeCharacter(digits.codePointAt(at) ?? 0, title) };
  const isWhole = encoding === 'hex' ? digits.length % 2 === 0 : digits.length % 4 !== 1;
  if (!isWhole) return { ok: false, detail: `${digits.length} digits are not whole ${title}` };
  return { ok: true, bytes: Buffer.from(digits, encoding) };
}

function describeCharacter(code: number, title: string): string {
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const shown = code > 0x20 && code < 0x7f ? `"${String.fromCodePoint(code)}"` : number;
  return `${shown} is not a digit of ${title}`;
}

/** A payload's bytes by their meaning; the tag is empty outside GCM. */
interface Layout {
  /** IV or salt, whichever the payload carries. */
  readonly header: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly tag: Uint8Array;
}

/** The bytes of IV or salt before ciphertext and tag, without the word "Salted__". */
export function headerBytes(cipher: Cipher): number {
  if (isSalted(cipher.key)) return saltBytes;
  return cipher.iv === 'prefix' ? ivBytesOf(cipher) : 0;
}

function magicOf(cipher: Cipher): Uint8Array {
  return isSalted(cipher.key) ? saltMagic : new Uint8Array();
}

/** Takes bytes apart, or says why they can't be: the salt's word is missing, or their number can't be right. */
function readLayout(bytes: Uint8Array, { mode, tagBytes, blockBytes }: Algorithm, cipher: Cipher) {
  const wrongLength = (detail: string) => failed('payload-length', detail);
  const magic = magicOf(cipher);
  if (!constantTimeEqual(bytes.subarray(0, magic.length), magic)) {
    return failed('salt-missing', 'the payload does not begin with "Salted__"');
  }
  const bodyStart = magic.length + headerBytes(cipher);
  const overhead = bodyStart + tagBytes;
  const length = bytes.length - overhead;
  if (length < 0) return wrongLength(`${bytes.length} bytes, at least ${overhead} are needed`);
  const needsBlocks = isBlockMode(mode) || (cipher.padding ?? 'none') !== 'none';
  if (needsBlocks && length % blockBytes !== 0) {
    const wanted = `not a multiple of the block of ${blockBytes}`;
    return wrongLength(`${length} bytes of ciphertext are ${wanted}`);
  }
  const addsAlways = cipher.padding !== 'none' && cipher.padding !== 'zero';
  if (length === 0 && needsBlocks && addsAlways)
    return wrongLength('the ciphertext is empty, but padding requires at least one block');
  const header = bytes.subarray(magic.length, bodyStart);
  const body = bytes.subarray(bodyStart);
  const [tag, ciphertext] =
    cipher.tag === 'after-iv'
      ? [body.subarray(0, tagBytes), body.subarray(tagBytes)]
      : [body.subarray(length), body.subarray(0, length)];
  return { header, ciphertext, tag };
}

function joinLayout(cipher: Cipher, { header, ciphertext, tag }: Layout): Uint8Array {
  const body = cipher.tag === 'after-iv' ? [tag, ciphertext] : [ciphertext, tag];
  return Buffer.concat([magicOf(cipher), header, ...body]);
}

/**
 * Fills the plaintext up to whole blocks of `blockBytes` bytes.
 *
 * PKCS #7 (RFC 5652 6.3), ANSI X9.23 and ISO 10126 always add 1 to `blockBytes` bytes, the last of
 * which is their number; `zero` adds NULs only to a broken block; `none` adds nothing.
 */
export function pad(
  plaintext: Uint8Array,
  padding: Padding,
  blockBytes: number,
  randomBytes: RandomBytes,
): Uint8Array {
  const rest = plaintext.length % blockBytes;
  if (padding === 'none' || (padding === 'zero' && rest === 0)) return plaintext;
  const count = blockBytes - rest;
  const filler = Buffer.alloc(count, padding === 'pkcs7' ? count : 0);
  if (padding === 'iso10126') filler.set(randomBytes(count));
  if (padding !== 'zero') filler[count - 1] = count;
  return Buffer.concat([plaintext, filler]);
}

/**
 * Takes the padding off. The detail of a failure names only byte values that a padding would have
 * had to explain: the last one, and how many before it agree.
 */
export function unpad(padded: Uint8Array, padding: Padding, blockBytes: number): DecryptResult {
  if (padding === 'none') return { ok: true, plaintext: padded };
  if (padding === 'zero') return { ok: true, plaintext: withoutTrailingNuls(padded) };
  const count = padded.at(-1) ?? 0;
  if (count < 1 || count > blockBytes || count > padded.length) {
    return failed('bad-padding', describeLastByte(padded, blockBytes));
  }
  const expected = { pkcs7: count, ansix923: 0, iso10126: undefined }[padding];
  const filler = padded.subarray(padded.length - count, padded.length - 1);
  if (expected !== undefined && filler.some((byte) => byte !== expected))
    return failed(
      'bad-padding',
      `the last byte is ${hexByte(count)}, but the bytes before it are not ${padding} padding`,
    );
  return { ok: true, plaintext: padded.subarray(0, padded.length - count) };
}

function withoutTrailingNuls(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
}

function describeLastByte(padded: Uint8Array, blockBytes: number): string {
  const nuls = padded.length - withoutTrailingNuls(padded).length;
  if (nuls > 0) return `the plaintext ends in ${counted(nuls, 'NUL byte')}`;
  const last = hexByte(padded.at(-1) ?? 0);
  return `the last byte is ${last}, not a padding length from 1 to ${blockBytes}`;
}

function hexByte(value: number): string {
  return `0x${value.toString(16).padStart(2, '0')}`;
}
