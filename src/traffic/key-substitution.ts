import { promisify } from 'node:util';
import { brotliCompress, deflate, gzip } from 'node:zlib';
import { headerOf } from '../client/exchange.ts';
import type { generateKeyPairLike } from '../client/key-pair.ts';
import { decodeBody } from '../client/response.ts';
import { publicKeyIn } from '../crypto/key-reading.ts';
import { exportPublicKey, type RsaPrivateKey, type RsaPublicKey } from '../crypto/rsa-key.ts';
import { rsadp, rsaep } from '../crypto/rsaes-pkcs1-v1_5.ts';
import { openBlock } from '../diagnosis/wrapped-key.ts';
import { keepingLatest } from '../latest-results.ts';
import { parseJsonText } from '../protocol/json.ts';
import { ownProperty } from '../text.ts';
import { jsonOf } from './capture.ts';
import { type Interception, maxKeptBytes, type SeenExchange, type SeenMessage } from './forward.ts';
import { encodeLike } from './text-form.ts';

export interface KeySubstitutionOptions {
  readonly generateKeyPairLike: typeof generateKeyPairLike;
  /** Whether the exchanges of a user are decrypted. */
  readonly concerns: (ptnCd: string | undefined) => boolean;
  /** Gets what could not be decrypted and why, as a sentence. */
  readonly note: (text: string) => void;
}

/** Service keys beyond these are forwarded untouched: a service that makes one for each call has no end of them. */
const mostSubstitutes = 32;
/** Of those of more bits than that: a pair of 8192 bits takes half a minute. */
const mostLarge = 2;
const largeBits = 4096;

/** What replaces the keys in the exchanges of the callback URL. */
export type KeySubstitution = (exchange: SeenExchange) => Interception;

/**
 * Puts key pairs of its own in place of the service's `public_key`, and wraps each `enc_partner_key`
 * again for the service, so that the per-user keys can be read while both sides work as without it.
 */
export function substituteKeys(options: KeySubstitutionOptions): KeySubstitution {
  const { generateKeyPairLike, concerns, note } = options;
  /** By the service's key. */
  const substitutes = new Map<string, Promise<KeySubstitute | undefined>>();
  /** The latest first. */
  let allMade: readonly KeySubstitute[] = [];
  /** Pairs are made one after the other, so that the thread pool is left to the traffic. */
  let latest: Promise<unknown> = Promise.resolve();
  let large = 0;

  function substituteFor(text: string): Promise<KeySubstitute | undefined> | undefined {
    const service = serviceKeyIn(text);
    if (service === undefined) return undefined;
    const id = exportPublicKey(service);
    const known = substitutes.get(id);
    if (known !== undefined) return known;
    const isLarge = service.modulusBits > largeBits;
    if (substitutes.size >= mostSubstitutes || (isLarge && large >= mostLarge)) {
      const many = isLarge
        ? `${mostLarge} keys of over ${largeBits} bits`
        : `${mostSubstitutes} different keys`;
      note(`more than ${many} came as public_key; ${leftAlone}`);
      return undefined;
    }
    if (isLarge) large += 1;
    const made = latest.then(() => make(service));
    latest = made;
    substitutes.set(id, made);
    return made;
  }

  async function make(service: RsaPublicKey): Promise<KeySubstitute | undefined> {
    try {
      const substitute = { service, own: await generateKeyPairLike(service) };
      allMade = [substitute, ...allMade];
      return substitute;
    } catch {
      const { modulusBits, publicExponent } = service;
      const pair = `key pair of ${modulusBits} bits with the exponent ${publicExponent}`;
      note(`no ${pair} can be made: ${leftAlone}`);
      return undefined;
    }
  }

  /** The response for the service; the key may also have been encrypted for an earlier substitute. */
  async function rewrapped(
    response: SeenMessage,
    used: readonly KeySubstitute[],
  ): Promise<Uint8Array | undefined> {
    const encoding = headerOf(response.headers, 'content-encoding');
    const decoded = await decodeBody(response.body, encoding, maxKeptBytes);
    const encode = ownProperty(encoders, encoding?.trim().toLowerCase() ?? '');
    if (decoded instanceof Uint8Array && encode !== undefined) {
      const body = rewrapStrings(decoded, used);
      return body && encode(body);
    }
    note(
      `the Content-Encoding ${encoding} can't be written again: the enc_partner_key of this response reaches the service under a key that isn't the service's`,
    );
    return undefined;
  }

  return (exchange) => {
    let used: readonly KeySubstitute[] | undefined;
    return {
      request: async (body) => {
        const { public_key: text, ptn_cd: ptnCd } = jsonOf({ body });
        const user = typeof ptnCd === 'string' ? ptnCd : undefined;
        if (typeof text !== 'string' || !concerns(user)) return undefined;
        const substitute = await substituteFor(text);
        const own = substitute && withOwnModulus(text, substitute);
        if (substitute === undefined || own === undefined) return undefined;
        const changed = replaceStrings(body, (value) => (value === text ? own : undefined));
        if (changed === undefined) return undefined;
        used = [substitute, ...allMade.filter((each) => each !== substitute)];
        exchange.privateKeys = used.map((each) => each.own);
        return changed;
      },
      response: () => {
        const substitutes = used;
        return substitutes && ((response) => rewrapped(response, substitutes));
      },
    };
  };
}

const leftAlone = "this one was left as it is, and its enc_partner_key can't be decrypted";

/** A service sends the same few texts again and again, and reading one takes longer than encrypting. */
const serviceKeyIn = keepingLatest(mostSubstitutes, (text: string) => publicKeyIn(text)?.key);

/** By the name of their content coding (RFC 9110 8.4.1). */
const encoders: Readonly<Record<string, (body: Uint8Array) => Uint8Array | Promise<Uint8Array>>> = {
  '': (body) => body,
  identity: (body) => body,
  gzip: promisify<Uint8Array, Buffer>(gzip),
  'x-gzip': promisify<Uint8Array, Buffer>(gzip),
  deflate: promisify<Uint8Array, Buffer>(deflate),
  br: promisify<Uint8Array, Buffer>(brotliCompress),
};

/** A public key of the service, and the key pair that takes its place towards the application. */
export interface KeySubstitute {
  readonly service: RsaPublicKey;
  readonly own: RsaPrivateKey;
}

/**
 * The text of a public key with the modulus of the substitute in it and everything else as it was:
 * structure, encoding, line breaks. Undefined for a form in which the modulus isn't found.
 */
export function withOwnModulus(text: string, { service, own }: KeySubstitute): string | undefined {
  const der = bytesOf(text);
  const at = der.indexOf(service.modulus);
  if (at < 0) return undefined;
  der.set(own.publicKey.modulus, at);
  return encodeLike(text, der);
}

/**
 * An `enc_partner_key` under a public key of the service as it is for its substitute, the first of
 * `substitutes` that fits: the block inside is encrypted again as it is, so that padding, key and whatever
 * is wrong with them stay, and written in the same form. Undefined for what none of them decrypts: that was
 * encrypted for another key, or is broken for the service too.
 */
export function rewrap(text: string, substitutes: readonly KeySubstitute[]): string | undefined {
  const bytes = bytesOf(text);
  for (const { own, service } of substitutes) {
    const block = bytes.length === own.modulusBytes ? rsadp(own, bytes) : undefined;
    if (block !== undefined && openBlock(block) !== undefined)
      return encodeLike(text, rsaep(service, block));
  }
  return undefined;
}

/** The same for every string in a body. */
export function rewrapStrings(
  body: Uint8Array,
  substitutes: readonly KeySubstitute[],
): Buffer | undefined {
  return replaceStrings(body, (value) => rewrap(value, substitutes));
}

/** The bytes of a PEM block, of hexadecimal, or of Base64 in either alphabet. */
function bytesOf(text: string): Buffer {
  const block = text.replace(/-----[^-]+-----/g, '').replace(/\s/g, '');
  return Buffer.from(block, /^(?:[\da-fA-F]{2})+$/.test(block) ? 'hex' : 'base64');
}

/** A string in a text of JSON, with its quotation marks; one without an end, so that none is sought in it. */
const stringToken = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)/g;

/**
 * Replaces strings in a text of JSON and leaves every other character as it is.
 * @param body UTF-8 or any other superset of ASCII
 * @param replace undefined leaves a string as it is
 * @returns undefined if nothing was replaced
 */
function replaceStrings(
  body: Uint8Array,
  replace: (value: string) => string | undefined,
): Buffer | undefined {
  const text = Buffer.from(body).toString('latin1');
  const changed = text.replace(stringToken, (token) => {
    const value = parseJsonText(token);
    const other = typeof value === 'string' ? replace(value) : undefined;
    return other === undefined ? token : JSON.stringify(other);
  });
  return changed === text ? undefined : Buffer.from(changed, 'latin1');
}
