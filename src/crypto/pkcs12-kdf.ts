import { hash } from 'node:crypto';
import { toBigInt, unsignedBytes } from './rsa-key.ts';

/** RFC 7292 B.3. */
const purposes = { key: 1, iv: 2, mac: 3 } as const;

interface Pkcs12KdfInput {
  readonly digest: string;
  /** As {@link bmpPassword} gives it. */
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
  readonly iterations: number;
  readonly purpose: keyof typeof purposes;
  readonly size: number;
}

/** RFC 7292 B.1: UTF-16 big-endian with two zero bytes at its end; a missing password has no bytes. */
export function bmpPassword(password: string | null): Uint8Array {
  return password === null ? new Uint8Array() : bmpText(`${password}\0`);
}

/** UTF-16 big-endian, which a BMPString is of. */
export function bmpText(text: string): Uint8Array {
  return Buffer.from(text, 'utf16le').swap16();
}

/** The key derivation of PKCS #12 (RFC 7292 B.2). */
export function pkcs12Kdf(input: Pkcs12KdfInput): Uint8Array {
  const { digest, password, salt, iterations, purpose, size } = input;
  const v = /384|512/.test(digest) ? 128 : 64;
  const diversifier = new Uint8Array(v).fill(purposes[purpose]);
  let mixed: Uint8Array = Buffer.concat([repeated(salt, v), repeated(password, v)]);
  const chunks: Uint8Array[] = [];
  for (let produced = 0; produced < size; ) {
    let value: Uint8Array = Buffer.concat([diversifier, mixed]);
    for (let count = 0; count < iterations; count += 1) value = hash(digest, value, 'buffer');
    chunks.push(value);
    produced += value.length;
    mixed = addToBlocks(mixed, repeated(value, v).subarray(0, v), v);
  }
  return Buffer.concat(chunks).subarray(0, size);
}

/** Step 2 and 3: the bytes again and again, to a multiple of v. */
function repeated(bytes: Uint8Array, v: number): Uint8Array {
  const size = v * Math.ceil(bytes.length / v);
  return bytes.length === 0 ? bytes : Buffer.alloc(size, bytes);
}

/** Step 6 C: I_j = (I_j + B + 1) modulo 2 to the power of v * 8. */
function addToBlocks(mixed: Uint8Array, block: Uint8Array, v: number): Uint8Array {
  const added = toBigInt(block) + 1n;
  const sums: Uint8Array[] = [];
  for (let start = 0; start < mixed.length; start += v) {
    const sum = BigInt.asUintN(v * 8, toBigInt(mixed.subarray(start, start + v)) + added);
    const bytes = unsignedBytes(sum);
    sums.push(new Uint8Array(v - bytes.length), bytes);
  }
  return Buffer.concat(sums);
}
