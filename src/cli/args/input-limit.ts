import { createReadStream, readFileSync, statSync } from 'node:fs';
import { byteCount } from '../../text.ts';
import { usage } from '../failure.ts';

const mebibyte = 1024 * 1024;

/** How much a flag reads of a file or of standard input, in bytes. */
export interface InputLimit {
  /** Without --max-input. */
  readonly usual: number;
  /** With it: beyond, authcli would need more than 300 MB of memory. */
  readonly most: number;
  /** Of JSON: the most values, since `[1,1,…]` needs much more memory than it has bytes. */
  readonly values?: number;
}

/** Of keys, payloads and other values: decryption and redaction need each in many forms. */
export const valueLimit: InputLimit = { usual: mebibyte, most: mebibyte };

/** Of an error text, which is compared with every known one. */
export const errorTextLimit: InputLimit = { usual: mebibyte / 16, most: mebibyte / 16 };

/** Of a list of users, each of which becomes several objects and a file. */
export const usersLimit: InputLimit = {
  usual: 4 * mebibyte,
  most: 4 * mebibyte,
  values: 150_000,
};

/** Of a report of checks: each row becomes several objects. */
export const reportLimit: InputLimit = {
  usual: 8 * mebibyte,
  most: 8 * mebibyte,
  values: 300_000,
};

/** The limit in force; `asked` is --max-input. */
export function limitInForce({ usual, most }: InputLimit, asked: number | undefined): number {
  return Math.min(asked ?? usual, most);
}

/** `bytes` is the size if it is known. */
export function tooLarge(
  what: string,
  bytes: number | undefined,
  limit: InputLimit,
  asked: number | undefined,
): Error {
  const inForce = limitInForce(limit, asked);
  const way =
    inForce < limit.most
      ? `Shorten it, or raise the limit with --max-input, to ${byteCount(limit.most)} at most.`
      : "Shorten it: --max-input can't raise this limit, since authcli would need too much memory.";
  const size = bytes === undefined ? `more than ${byteCount(inForce)}` : byteCount(bytes);
  return usage(`${what} has ${size}; the limit is ${byteCount(inForce)}.`, way);
}

/** Throws `usage`, naming the source, for bytes that contain more JSON values than the limit allows. */
export function refuseManyValues(bytes: Uint8Array, what: string, { values }: InputLimit): void {
  if (values === undefined) return;
  let commas = 0;
  for (let at = bytes.indexOf(0x2c); at >= 0; at = bytes.indexOf(0x2c, at + 1)) commas += 1;
  if (commas < values) return;
  throw usage(
    `${what}: it has more than ${values.toLocaleString('en')} values.`,
    'Split it into several files.',
  );
}

/** The bytes of a file that has at most `limit`; of a larger one only its size, if that is known. */
export async function readAtMost(
  path: string,
  limit: number,
): Promise<{ readonly bytes?: Uint8Array; readonly size?: number }> {
  const stat = statSync(path);
  if (stat.isFile() && stat.size > limit) return { size: stat.size };
  if (stat.isFile() && stat.size > 0) return { bytes: readFileSync(path) };
  // A pipe may block, and must be interruptible; a device may never end.
  const bytes = await drain(createReadStream(path, { end: limit }), limit);
  return bytes.length > limit ? {} : { bytes };
}

/** All that a stream has, or enough to see that it has more than `limit` bytes. */
export async function drain(stream: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) break;
  }
  return Buffer.concat(chunks);
}
