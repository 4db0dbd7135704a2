import { promisify } from 'node:util';
import { brotliCompress, deflate, gzip } from 'node:zlib';
import { headerOf } from '../client/exchange.ts';
import type { generateKeyPairLike } from '../client/key-pair.ts';
import { decodeBody } from '../client/response.ts';
import { publicKeyIn } from '../crypto/key-reading.ts';
import type { RsaPrivateKey, RsaPublicKey } from '../crypto/rsa-key.ts';
import { rsadp, rsaep } from '../crypto/rsaes-pkcs1-v1_5.ts';
import { openBlock } from '../diagnosis/wrapped-key-block.ts';
import { jsonOf } from './capture.ts';
import type { Interception } from './forward.ts';
import { maxKeptBytes, type SeenExchange, type SeenMessage } from './seen-exchange.ts';
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

/**
 * Puts key pairs of its own in place of the service's `public_key`, and wraps each `enc_partner_key`
 * again for the service, so that the per-user keys can be read while both sides work as without it.
 */
export class KeySubstitution {
  readonly #options: KeySubstitutionOptions;
  /** By the modulus of the service's key; the latest last. */
  readonly #substitutes = new Map<string, Promise<KeySubstitute | undefined>>();
  readonly #byText = new Map<string, Promise<KeySubstitute | undefined>>();
  readonly #made: KeySubstitute[] = [];
  readonly #used = new WeakMap<SeenExchange, KeySubstitute>();
  /** A pair of the usual size is made before the first call needs it. */
  #spare: Promise<RsaPrivateKey> | undefined;
  /** Others are made one after the other, so that the thread pool is left to the traffic. */
  #latest: Promise<unknown> = Promise.resolve();
  #large = 0;

  constructor(options: KeySubstitutionOptions) {
    this.#options = options;
    this.#spare = options.generateKeyPairLike({ modulusBits: 2048, publicExponent: 65_537n });
    this.#spare.catch(() => {});
  }

  /** The private keys for the response of an exchange, its own first; none where its key was left as it is. */
  privateKeysFor(exchange: SeenExchange): readonly RsaPrivateKey[] {
    const first = this.#usedIn(exchange);
    if (first === undefined) return [];
    const others = this.#made.filter((each) => each !== first).toReversed();
    return [first, ...others].map(({ own }) => own);
  }

  /** For the exchanges of the callback URL. */
  intercept(exchange: SeenExchange): Interception {
    return {
      request: async (body) => {
        const changed = await this.#substitute(body);
        if (changed === undefined) return undefined;
        this.#used.set(exchange, changed.substitute);
        return changed.body;
      },
      response: () => {
        const first = this.#usedIn(exchange);
        return first && ((response) => this.#rewrap(response, first));
      },
    };
  }

  /** The substitute that reached the application; not every body could be replaced. */
  #usedIn(exchange: SeenExchange): KeySubstitute | undefined {
    return exchange.request.changed === undefined ? undefined : this.#used.get(exchange);
  }

  async #substitute(
    body: Buffer,
  ): Promise<{ readonly body: Buffer; readonly substitute: KeySubstitute } | undefined> {
    const { public_key: text, ptn_cd: ptnCd } = jsonOf({ body });
    if (typeof text !== 'string') return undefined;
    if (!this.#options.concerns(typeof ptnCd === 'string' ? ptnCd : undefined)) return undefined;
    const substitute = await this.#substituteOf(text);
    const own = substitute && withOwnModulus(text, substitute);
    if (substitute === undefined || own === undefined) return undefined;
    const changed = replaceStrings(body, (value) => (value === text ? own : undefined));
    return changed && { body: changed, substitute };
  }

  /** A service sends the same few texts again and again, and reading one takes longer than encrypting. */
  #substituteOf(text: string): Promise<KeySubstitute | undefined> {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const found = this.#substituteFor(text);
    if (this.#byText.size < mostSubstitutes) this.#byText.set(text, found);
    return found;
  }

  #substituteFor(text: string): Promise<KeySubstitute | undefined> {
    const service = publicKeyIn(text)?.key;
    if (service === undefined) return Promise.resolve(undefined);
    const id = `${Buffer.from(service.modulus).toString('base64')} ${service.publicExponent}`;
    const known = this.#substitutes.get(id);
    if (known !== undefined) return known;
    const isLarge = service.modulusBits > largeBits;
    if (this.#substitutes.size >= mostSubstitutes || (isLarge && this.#large >= mostLarge)) {
      const many = isLarge
        ? `${mostLarge} keys of over ${largeBits} bits`
        : `${mostSubstitutes} different keys`;
      this.#options.note(
        `more than ${many} came as public_key; this one was left as it is, and its enc_partner_key can't be decrypted`,
      );
      return Promise.resolve(undefined);
    }
    if (isLarge) this.#large += 1;
    const made = this.#make(service);
    this.#substitutes.set(id, made);
    return made;
  }

  async #make(service: RsaPublicKey): Promise<KeySubstitute | undefined> {
    try {
      const own = await this.#pairLike(service);
      const substitute = { service, own };
      this.#made.push(substitute);
      return substitute;
    } catch {
      const { modulusBits, publicExponent } = service;
      this.#options.note(
        `no key pair of ${modulusBits} bits with the exponent ${publicExponent} can be made: this public_key was left as it is, and its enc_partner_key can't be decrypted`,
      );
      return undefined;
    }
  }

  #pairLike(service: RsaPublicKey): Promise<RsaPrivateKey> {
    const spare = this.#spare;
    if (spare === undefined || service.modulusBits !== 2048 || service.publicExponent !== 65_537n) {
      const made = this.#latest.then(() => this.#options.generateKeyPairLike(service));
      this.#latest = made.catch(() => {});
      return made;
    }
    this.#spare = undefined;
    return spare;
  }

  /** The response for the service; the key may also have been encrypted for an earlier substitute. */
  async #rewrap(response: SeenMessage, first: KeySubstitute): Promise<Uint8Array | undefined> {
    const encoding = headerOf(response.headers, 'content-encoding');
    const decoded = await decodeBody(response.body, encoding, maxKeptBytes);
    const encode = encoderOf(encoding);
    if (!decoded.ok || encode === undefined) {
      this.#options.note(
        `the Content-Encoding ${encoding} can't be written again: the enc_partner_key of this response reaches the service under a key that isn't the service's`,
      );
      return undefined;
    }
    const others = this.#made.filter((each) => each !== first);
    const body = rewrapStrings(decoded.body, [first, ...others]);
    if (body === undefined) return undefined;
    return encode(body);
  }
}

/** The encoder of a content coding (RFC 9110 8.4.1). */
function encoderOf(
  encoding: string | undefined,
): ((body: Uint8Array) => Promise<Uint8Array>) | undefined {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return async (body) => body;
  if (name === 'gzip' || name === 'x-gzip') return promisify(gzip);
  if (name === 'deflate') return promisify(deflate);
  return name === 'br' ? promisify<Uint8Array, Buffer>(brotliCompress) : undefined;
}

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
 * encrypted for another key.
 */
export function rewrap(text: string, substitutes: readonly KeySubstitute[]): string | undefined {
  if (text.length < shortestText) return undefined;
  if (/^\s*["{[]/.test(text)) return rewrapStrings(Buffer.from(text), substitutes)?.toString();
  const plain = text.includes(' ') ? text.replaceAll(' ', '+') : text;
  if (plain !== text) {
    const rewritten = rewrapBytes(plain, substitutes);
    if (rewritten !== undefined) return rewritten.replaceAll('+', ' ');
  }
  return rewrapBytes(text, substitutes);
}

/** The same for every string in a body. */
export function rewrapStrings(
  body: Uint8Array,
  substitutes: readonly KeySubstitute[],
): Buffer | undefined {
  return replaceStrings(body, (value) => rewrap(value, substitutes));
}

/** Base64 of 384 bits: no RSA key is shorter. */
const shortestText = 64;

function rewrapBytes(text: string, substitutes: readonly KeySubstitute[]): string | undefined {
  const bytes = bytesOf(text);
  const other = rewrapCiphertext(bytes, substitutes);
  if (other !== undefined) return encodeLike(text, other);
  // encoded twice: the text inside has the same length again
  const isText = bytes.length >= shortestText && bytes.every((octet) => octet > 8 && octet < 0x7f);
  const inner = isText ? rewrap(bytes.toString('latin1'), substitutes) : undefined;
  return inner === undefined ? undefined : encodeLike(text, Buffer.from(inner, 'latin1'));
}

function rewrapCiphertext(
  bytes: Uint8Array,
  substitutes: readonly KeySubstitute[],
): Uint8Array | undefined {
  for (const { own, service } of substitutes) {
    if (bytes.length !== own.modulusBytes) continue;
    const block = structured(own, bytes);
    if (block !== undefined) return rsaep(service, block);
    const reversed = structured(own, bytes.toReversed());
    if (reversed !== undefined) return rsaep(service, reversed).toReversed();
  }
  return undefined;
}

/** The decrypted block, if it has the structure of any padding. */
function structured(own: RsaPrivateKey, ciphertext: Uint8Array): Uint8Array | undefined {
  const block = rsadp(own, ciphertext);
  return block !== undefined && openBlock(block) !== undefined ? block : undefined;
}

/** The bytes of a PEM block, of hexadecimal, or of Base64 in either alphabet. */
function bytesOf(text: string): Buffer {
  const block = text.replace(/-----[^-]+-----/g, '').replace(/\s/g, '');
  return Buffer.from(block, /^(?:[\da-fA-F]{2})+$/.test(block) ? 'hex' : 'base64');
}

/** A string in a text of JSON, with its quotation marks; one without an end, so that none is sought in it. */
const stringToken = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)(?:(")|\\?$)/g;

/**
 * Replaces strings in a text of JSON and leaves every other character as it is; a new string is escaped as
 * the old one was (`\/`, `\u002b`). Also finds them in what is not quite JSON.
 * @param body UTF-8 or any other superset of ASCII
 * @param replace undefined leaves a string as it is
 * @returns undefined if nothing was replaced
 */
export function replaceStrings(
  body: Uint8Array,
  replace: (value: string) => string | undefined,
): Buffer | undefined {
  let changed = false;
  const text = Buffer.from(body)
    .toString('latin1')
    .replace(stringToken, (token, raw: string, end?: string) => {
      const value = end && stringOf(token);
      const other = value === undefined ? undefined : replace(value);
      if (other === undefined) return token;
      changed = true;
      return `"${escapeLike(raw, other)}"`;
    });
  return changed ? Buffer.from(text, 'latin1') : undefined;
}

function stringOf(token: string): string | undefined {
  if (isPlain(token)) return token.slice(1, -1);
  try {
    return JSON.parse(token.replace(/[\n\r\t]/g, (space) => JSON.stringify(space).slice(1, -1)));
  } catch {
    return undefined;
  }
}

/** Whether the characters of a string are written as themselves. */
function isPlain(text: string): boolean {
  return !/[\\\p{Cc}]/u.test(text);
}

/** Writes each character as `model`, the inside of a JSON string, writes it; others as JSON.stringify does. */
function escapeLike(model: string, value: string): string {
  if (isPlain(model)) return JSON.stringify(value).slice(1, -1);
  const known = new Map<string, string>();
  for (const [written] of model.matchAll(/\\u[0-9a-fA-F]{4}|\\.|[^\\]/gs)) {
    known.set(stringOf(`"${written}"`) ?? written, written);
  }
  return [...value]
    .map((character) => known.get(character) ?? JSON.stringify(character).slice(1, -1))
    .join('');
}
