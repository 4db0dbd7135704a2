import { decodeUtf8, encodeUtf8, type RandomBytes } from '../bytes.ts';
import {
  type Exchange,
  headerOf,
  responseOf,
  type Transport,
  type WireRequest,
} from '../client/exchange.ts';
import { judgeKeyExchange, judgeRegistration } from '../client/signup.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { publicKeyIn } from '../crypto/key-reading.ts';
import { decryptPayload, encryptPayload } from '../crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import { exportPublicKey, type RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import { keyLeakFinder } from '../diagnosis/key-leak.ts';
import { type Diagnosis, hasCode } from '../errors.ts';
import {
  generatePasscode,
  generateUserCode,
  generateUserInformation,
} from '../protocol/defaults.ts';
import { contentType } from '../protocol/endpoints.ts';
import { isJsonObject, type JsonObject, jsonTypeOf, readJson } from '../protocol/json.ts';
import { type CapturedExchange, type CapturedResponse, jsonOf } from './capture.ts';
import { encodeLike } from './text-form.ts';

export interface ReplayOptions {
  /** The callback URL of the application to try. */
  readonly url: URL;
  /** In place of the recorded one. */
  readonly clientId?: string | undefined;
  readonly transport: Transport;
  /** Its public half is sent in place of the recorded one. */
  readonly keyPair: RsaPrivateKey;
  readonly cipher: Cipher;
  readonly randomBytes: RandomBytes;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives every key and passcode that comes up. */
  readonly hide: (secret: Secret) => void;
}

/** A recorded callback and what came of it now. */
export interface ReplayedCallback {
  readonly recorded: CapturedExchange;
  /** The fresh user in place of the recorded one. */
  readonly ptnCd?: string;
  readonly exchange: Exchange;
  readonly differences: readonly Difference[];
  /** What is wrong with the response, where the recorded one was right. */
  readonly diagnosis?: Diagnosis;
}

/** So many of the latest keys are looked for in a response. */
const mostLeakedKeys = 16;

interface ReplayedUser {
  readonly ptnCd: string;
  key?: string;
}

/** Sends recorded callbacks again, in their order, with fresh users and another key pair. */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #users = new Map<string, ReplayedUser>();
  readonly #keys: string[] = [];

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  /** Sends one callback; undefined for an exchange that is not a callback. */
  async send(recorded: CapturedExchange): Promise<ReplayedCallback | undefined> {
    const { operation, request } = recorded;
    if (operation !== 'key-exchange' && operation !== 'registration') return undefined;
    if (request === undefined) return undefined;
    const user = recorded.ptnCd === undefined ? undefined : this.#userFor(recorded.ptnCd);
    const body = this.#bodyFor(recorded, user);
    const exchange = await this.#options.transport.send(this.#wireRequest(recorded, body));
    const { ok, diagnosis, key } = await this.#judge(exchange, jsonOf({ body }), operation);
    const leak = this.#leakIn(exchange, operation);
    if (user !== undefined && key !== undefined) user.key = key.reveal();
    if (key !== undefined) this.#options.hide(key);
    const differences = compareResponses(recorded.response, captured(exchange));
    const wasRight = jsonOf(recorded.response).code === '0000';
    return {
      recorded,
      ptnCd: user?.ptnCd,
      exchange,
      differences,
      diagnosis: (!ok && wasRight && diagnosis) || leak,
    };
  }

  #userFor(recordedPtnCd: string): ReplayedUser {
    const known = this.#users.get(recordedPtnCd);
    if (known !== undefined) return known;
    const user = { ptnCd: generateUserCode(this.#options.randomBytes) };
    this.#users.set(recordedPtnCd, user);
    return user;
  }

  #wireRequest({ request }: CapturedExchange, body: Uint8Array): WireRequest {
    const { url } = this.#options;
    const type = headerOf(request?.headers ?? [], 'content-type') ?? contentType;
    return { method: request?.method ?? 'POST', url, headers: [['Content-type', type]], body };
  }

  /** The recorded body with what belongs to its user replaced; a body that isn't JSON as it was. */
  #bodyFor({ request, key }: CapturedExchange, user: ReplayedUser | undefined): Uint8Array {
    const fields = jsonOf(request);
    if (Object.keys(fields).length === 0) return request?.body ?? new Uint8Array();
    const replaced: Record<string, unknown> = { ...fields };
    if (user !== undefined) replaced.ptn_cd = user.ptnCd;
    if (this.#options.clientId !== undefined) replaced.client_id = this.#options.clientId;
    if (typeof fields.public_key === 'string') {
      replaced.public_key = this.#publicKeyFor(fields.public_key);
    }
    const invented = {
      partner_sp: () => generatePasscode(this.#options.randomBytes),
      ubifill: () => generateUserInformation(user?.ptnCd ?? ''),
    };
    for (const [field, invent] of Object.entries(invented)) {
      const payload = fields[field];
      if (typeof payload !== 'string' || payload === '') continue;
      replaced[field] = this.#encryptAgain(payload, key, user, invent);
    }
    return encodeUtf8(JSON.stringify(replaced));
  }

  /** What was not a key stays as it was. */
  #publicKeyFor(recorded: string): string {
    if (publicKeyIn(recorded) === undefined) return recorded;
    const { publicKey } = this.#options.keyPair;
    return encodeLike(recorded, publicKey.spki) ?? exportPublicKey(publicKey);
  }

  /** The recorded text where its key is known, else an invented one, under the key of the fresh user. */
  #encryptAgain(
    payload: string,
    recordedKey: Secret | undefined,
    user: ReplayedUser | undefined,
    invent: () => string,
  ): string {
    const { cipher, randomBytes, hide } = this.#options;
    const known = recordedKey && decryptPayload(payload, recordedKey.reveal(), cipher);
    const text = (known?.ok && decodeUtf8(known.plaintext)) || invent();
    hide(Secret.text(text));
    const encrypt = (key: string) => encryptPayload(encodeUtf8(text), key, cipher, randomBytes);
    try {
      return encrypt(user?.key ?? generatePerUserKey(randomBytes));
    } catch (error) {
      // the application's key doesn't fit the cipher, as its key exchange already says
      if (!hasCode(error, 'usage')) throw error;
      return encrypt(generatePerUserKey(randomBytes));
    }
  }

  /** A key of this replay, in plain in a response (section 4.1.1 rule 2). */
  #leakIn(exchange: Exchange, operation: string): Diagnosis | undefined {
    const response = responseOf(exchange);
    const to = operation === 'key-exchange' ? 'the key exchange' : 'the registration';
    return response && keyLeakFinder(this.#keys.slice(-mostLeakedKeys))(response, to)?.diagnosis;
  }

  async #judge(
    exchange: Exchange,
    sent: JsonObject,
    operation: 'key-exchange' | 'registration',
  ): Promise<{ readonly ok: boolean; readonly diagnosis?: Diagnosis; readonly key?: Secret }> {
    const { keyPair, cipher, now } = this.#options;
    if (operation === 'registration') return judgeRegistration(exchange, cipher);
    const [clientId, ptnCd] = [sent.client_id, sent.ptn_cd].map(String);
    const earlierKeys = [...this.#keys];
    const outcome = await judgeKeyExchange(exchange, {
      keyPair,
      clientId: clientId ?? '',
      ptnCd: ptnCd ?? '',
      earlierKeys,
      now: now(),
    });
    if (outcome.key !== undefined) this.#keys.push(outcome.key.reveal());
    return outcome;
  }
}

/** A response as recordings have it. */
function captured(exchange: Exchange): CapturedResponse | undefined {
  const response = responseOf(exchange);
  if (response === undefined) return undefined;
  const { status, statusText, headers, body } = response;
  return {
    status,
    statusText,
    headers,
    body,
    ...(exchange.response === undefined && { isCut: true }),
  };
}

/** What differs between a recorded response and the one that came now. */
export interface Difference {
  /** `HTTP status`, `body`, a field such as `result.enc_partner_key`, or a header. */
  readonly what: string;
  readonly recorded: string;
  readonly replayed: string;
}

/** Headers that a client acts on; others may differ from one response to the next. */
const comparedHeaders = ['content-type', 'content-encoding', 'location', 'cache-control'];

const none = 'none';

/**
 * Compares two responses to the same request: the status, the headers that matter, the code, and
 * which fields of which types the JSON has. Messages, keys and tokens may differ. What a recording
 * doesn't contain is not compared.
 */
export function compareResponses(
  recorded: CapturedResponse | undefined,
  replayed: CapturedResponse | undefined,
): readonly Difference[] {
  if (recorded === undefined) return [];
  if (replayed === undefined) {
    return [{ what: 'response', recorded: `HTTP ${recorded.status ?? '?'}`, replayed: none }];
  }
  const statuses = [recorded.status, replayed.status].map((status) => status?.toString());
  return [
    ...difference('HTTP status', statuses[0], statuses[0] && statuses[1]),
    ...headerDifferences(recorded, replayed),
    ...(recorded.isCut || replayed.isCut ? [] : bodyDifferences(recorded, replayed)),
  ];
}

function difference(
  what: string,
  recorded: string | undefined,
  replayed: string | undefined,
): readonly Difference[] {
  if (recorded === replayed) return [];
  return [{ what, recorded: recorded ?? none, replayed: replayed ?? none }];
}

function headerDifferences(
  { headers: before }: CapturedResponse,
  { headers: after }: CapturedResponse,
): readonly Difference[] {
  if (before === undefined || after === undefined) return [];
  return comparedHeaders.flatMap((name) =>
    difference(name, normalised(headerOf(before, name)), normalised(headerOf(after, name))),
  );
}

/** Blanks and the case of a header's value mean nothing in those compared here. */
function normalised(value: string | undefined): string | undefined {
  return value
    ?.toLowerCase()
    .split(';')
    .map((part) => part.trim())
    .join('; ');
}

function bodyDifferences(
  recorded: CapturedResponse,
  replayed: CapturedResponse,
): readonly Difference[] {
  const [before, after] = [recorded, replayed].map(({ body }) => readJson(body));
  const shapes = [before, after].map((reading) => (reading?.ok ? 'JSON' : 'not JSON'));
  if (!before?.ok || !after?.ok) return difference('body', shapes[0], shapes[1]);
  return [
    ...(isJsonObject(before.value) && isJsonObject(after.value)
      ? difference('code', codeOf(before.value), codeOf(after.value))
      : []),
    ...typeDifferences(typesOf(before.value), typesOf(after.value)),
  ];
}

function codeOf(body: JsonObject): string | undefined {
  return body.code === undefined ? undefined : JSON.stringify(body.code);
}

function typeDifferences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly Difference[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].flatMap((path) => difference(path, before.get(path), after.get(path)));
}

/** Deeper fields say nothing about this interface. */
const deepest = 4;

/** The type of every field, by its path; elements of an array are one. */
function typesOf(value: unknown, path = '', depth = 0): ReadonlyMap<string, string> {
  const types = new Map<string, string>([[path === '' ? 'body' : path, jsonTypeOf(value)]]);
  if (depth >= deepest || typeof value !== 'object' || value === null) return types;
  const children = Array.isArray(value)
    ? value.map((each): readonly [string, unknown] => ['[]', each])
    : Object.entries(value);
  for (const [name, child] of children) {
    const childPath = path === '' ? name : `${path}.${name}`;
    for (const [found, type] of typesOf(child, childPath, depth + 1)) types.set(found, type);
  }
  return types;
}
