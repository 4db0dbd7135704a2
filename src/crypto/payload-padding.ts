import type { RandomBytes } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';
import type { Padding } from './cipher.ts';

/** A plaintext without its padding, or what the last block shows instead. */
export type UnpadResult =
  | { readonly ok: true; readonly plaintext: Uint8Array }
  | { readonly ok: false; readonly detail: string };

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
  const filler = fill(padding, count, randomBytes);
  return Buffer.concat([plaintext, filler]);
}

function fill(padding: Padding, count: number, randomBytes: RandomBytes): Uint8Array {
  if (padding === 'zero') return new Uint8Array(count);
  if (padding === 'pkcs7') return new Uint8Array(count).fill(count);
  const filler =
    padding === 'iso10126' ? Uint8Array.from(randomBytes(count)) : new Uint8Array(count);
  filler[count - 1] = count;
  return filler;
}

/**
 * Takes the padding off. The detail of a failure names only byte values that a padding would have
 * had to explain: the last one, and how many before it agree.
 */
export function unpad(padded: Uint8Array, padding: Padding, blockBytes: number): UnpadResult {
  if (padding === 'none') return { ok: true, plaintext: padded };
  if (padding === 'zero') return { ok: true, plaintext: withoutTrailingNuls(padded) };
  const count = padded.at(-1) ?? 0;
  if (count < 1 || count > blockBytes || count > padded.length) {
    return { ok: false, detail: describeLastByte(padded, blockBytes) };
  }
  const expected = { pkcs7: count, ansix923: 0, iso10126: undefined }[padding];
  const filler = padded.subarray(padded.length - count, padded.length - 1);
  if (expected !== undefined && filler.some((byte) => byte !== expected))
    return { ok: false, detail: describeFiller(padding, count, filler) };
  return { ok: true, plaintext: padded.subarray(0, padded.length - count) };
}

function withoutTrailingNuls(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
}

function describeLastByte(padded: Uint8Array, blockBytes: number): string {
  const nuls = padded.length - withoutTrailingNuls(padded).length;
  if (nuls > 0) return `the plaintext ends in ${nuls} NUL byte${nuls === 1 ? '' : 's'}`;
  const last = padded.at(-1) ?? 0;
  return `the last byte is ${hexByte(last)}, no count from 1 to ${blockBytes}`;
}

function describeFiller(padding: Padding, count: number, filler: Uint8Array): string {
  const nuls = filler.every((byte) => byte === 0);
  const same = filler.every((byte) => byte === count);
  const shape = nuls ? ', they are NUL' : same ? ', they repeat the count' : '';
  return `the last byte is ${hexByte(count)}, but the bytes before it are no ${padding} padding${shape}`;
}

function hexByte(value: number): string {
  return `0x${value.toString(16).padStart(2, '0')}`;
}

/**
 * Refuses a plaintext that isn't whole blocks where nothing would fill them.
 *
 * @throws {AuthcliError} `usage`
 */
export function requireWholeBlocks(
  plaintext: Uint8Array,
  padding: Padding,
  blockBytes: number,
): void {
  if (padding !== 'none' || plaintext.length % blockBytes === 0) return;
  throw new AuthcliError(
    'usage',
    `Without padding the text must be a multiple of ${blockBytes} bytes long; it has ${plaintext.length}.`,
    { hint: 'Choose a padding, usually pkcs7.' },
  );
}
