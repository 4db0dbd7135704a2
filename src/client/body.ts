import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import {
  bodyTooLarge,
  brokenEncoding,
  maxCodings,
  tooManyEncodings,
  unknownEncoding,
} from '../diagnosis/answer-encoding.ts';
import type { Diagnosis } from '../errors.ts';

/** A decoded body, or why there is none. */
export type DecodedBody =
  | { readonly ok: true; readonly body: Uint8Array }
  | { readonly ok: false; readonly failure: Diagnosis };

/** Inflates at most `maxOutputLength` bytes and rejects as soon as there are more. */
type Decoder = (body: Uint8Array, limit: { maxOutputLength: number }) => Promise<Uint8Array>;

const inflateZlib: Decoder = promisify(inflate);
const inflateBare: Decoder = promisify(inflateRaw);

/** Content codings by name (RFC 9110 8.4.1); `deflate` is often sent without its zlib wrapping. */
const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', (body, limit) => (isZlib(body) ? inflateZlib : inflateBare)(body, limit)],
  ['br', promisify(brotliDecompress)],
]);

/** Whether the bytes begin as zlib does (RFC 1950 2.2): method 8, and a multiple of 31. */
function isZlib([cmf = 0, flg = 0]: Uint8Array): boolean {
  return (cmf & 0x0f) === 8 && (cmf * 256 + flg) % 31 === 0;
}

/**
 * Undoes the content codings of a body, the last applied first. No step yields more than `limit`
 * bytes: a body that would is refused while it inflates, so a bomb costs no more than the limit;
 * and no more than `maxCodings` are undone.
 */
export async function decodeBody(
  encoded: Uint8Array,
  contentEncoding: string | undefined,
  limit: number,
): Promise<DecodedBody> {
  const names = (contentEncoding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > maxCodings) return { ok: false, failure: tooManyEncodings(names.length) };
  let body = encoded;
  for (const name of names.reverse()) {
    const decoder = decoders.get(name);
    if (decoder === undefined) return { ok: false, failure: unknownEncoding(name) };
    if (body.length === 0) continue; // an empty body is no stream of any coding, and harmless
    const step = await attempt(decoder, body, limit, name);
    if (!step.ok) return step;
    body = step.body;
  }
  return { ok: true, body };
}

async function attempt(
  decoder: Decoder,
  body: Uint8Array,
  limit: number,
  name: string,
): Promise<DecodedBody> {
  try {
    return { ok: true, body: await decoder(body, { maxOutputLength: limit }) };
  } catch (error) {
    const tooLarge = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
    return {
      ok: false,
      failure: tooLarge ? bodyTooLarge(limit, { inflated: name }) : brokenEncoding(name),
    };
  }
}
