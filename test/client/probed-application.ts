import {
  constants,
  createDecipheriv,
  createHash,
  createPublicKey,
  publicEncrypt,
} from 'node:crypto';
import type { Transport } from '../../src/client/exchange.ts';
import { type MemoryResponse, memoryTransport } from '../support/memory-transport.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

/*
 * Applications that decrypt with node:crypto alone, to be probed.
 */

const randomBytes = seededBytes('probed application');

/** How an application decrypts: the text, or an exception. */
export type Decrypt = (payload: string, key: string) => Buffer;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** AES-256 in node:crypto alone; `mode` is that of OpenSSL. */
export function aes(
  mode: string,
  { iv = 'prefix', padded = true }: { iv?: string; padded?: boolean } = {},
): Decrypt {
  return (payload, key) => {
    const bytes = decodeBase64(payload);
    const prefixed = iv === 'prefix' && mode !== 'ecb';
    const vector = prefixed ? bytes.subarray(0, 16) : Buffer.from(iv);
    const rest = prefixed ? bytes.subarray(16) : bytes;
    const decipher = createDecipheriv(`aes-256-${mode}`, key, mode === 'ecb' ? null : vector);
    decipher.setAutoPadding(padded);
    return Buffer.concat([decipher.update(rest), decipher.final()]);
  };
}

/** Node's own decoder takes Base64url too; most others don't. */
function decodeBase64(text: string): Buffer {
  if (/[^A-Za-z0-9+/=]/.test(text)) throw new Error('no Base64');
  return Buffer.from(text, 'base64');
}

export const aesGcm: Decrypt = (payload, key) => {
  const bytes = decodeBase64(payload);
  const options = { authTagLength: 16 };
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), options);
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
};

/** The usual unpadding by hand: as many bytes as the last one says, as each language slices. */
export const cuts: Readonly<Record<string, (text: Buffer) => Buffer>> = {
  Node: (text) => text.subarray(0, text.length - (text.at(-1) ?? 0)),
  'Python, PHP': (text) => {
    const count = text.at(-1) ?? 0;
    return count === 0 ? Buffer.alloc(0) : text.subarray(0, Math.max(0, text.length - count));
  },
  'Java, Go': (text) => {
    const left = text.length - (text.at(-1) ?? 0);
    if (left < 0) throw new RangeError('out of bounds');
    return text.subarray(0, left);
  },
};

export const byLastByte =
  (mode: string, cut: (text: Buffer) => Buffer): Decrypt =>
  (payload, key) =>
    cut(aes(mode, { padded: false })(payload, key));

/** How a callback endpoint differs from one that decrypts and checks the text. */
export interface Variant {
  readonly decrypt: Decrypt;
  /** Judges the plaintext of `partner_sp`; throws to refuse it. */
  readonly look?: (passcode: Buffer) => unknown;
  /** Judges `ubifill`; its plaintext is JSON by default. */
  readonly lookAtUserInfo?: (userInfo: Buffer) => unknown;
  readonly catchesAll?: boolean;
  readonly key?: string;
  /** What is stored of the key that is returned; `keys` are those of all users. */
  readonly store?: (key: string, keys: ReadonlyMap<string, string>) => string;
}

export const underHash =
  (decrypt: Decrypt): Decrypt =>
  (payload, key) =>
    decrypt(payload, createHash('md5').update(key).digest('hex'));

export const asUtf8 = (bytes: Buffer) => utf8.decode(bytes);
export const asJson = (bytes: Buffer) => JSON.parse(utf8.decode(bytes));
export const notAtAll = () => undefined;

export function application({
  decrypt,
  look = asUtf8,
  lookAtUserInfo = asJson,
  catchesAll = false,
  key: fixedKey,
  store = (key) => key,
}: Variant): Transport {
  const keys = new Map<string, string>();
  const register = (call: Readonly<Record<string, unknown>>): MemoryResponse => {
    const key = keys.get(String(call.ptn_cd)) ?? '';
    try {
      look(decrypt(String(call.partner_sp), key));
      if (call.ubifill !== undefined) lookAtUserInfo(decrypt(String(call.ubifill), key));
    } catch {
      if (!catchesAll) return { json: { code: '9001', message: 'decryption failed' } };
    }
    return { json: { code: '0000', message: '' } };
  };
  return memoryTransport((call) => {
    if (call.used_type !== '1') return register(call);
    const key = fixedKey ?? randomBytes(24).toString('base64url');
    keys.set(String(call.ptn_cd), store(key, keys));
    return { json: { code: '0000', message: '', result: { enc_partner_key: wrap(call, key) } } };
  });
}

function wrap(call: Readonly<Record<string, unknown>>, key: string): string {
  const der = Buffer.from(String(call.public_key), 'base64');
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const padding = constants.RSA_PKCS1_PADDING;
  return publicEncrypt({ key: publicKey, padding }, Buffer.from(key)).toString('base64');
}
