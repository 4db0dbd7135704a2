import { decodeUtf8, encodeUtf8, type RandomBytes } from '../bytes.ts';
import { type Exchange, headerOf, responseOf, type Transport } from '../client/exchange.ts';
import { judgeKeyExchange, judgeRegistration } from '../client/signup.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { publicKeyIn } from '../crypto/key-reading.ts';
import { decryptPayload, encryptPayload } from '../crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import { exportPublicKey, type RsaPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import { keyLeakFinder } from '../diagnosis/key-leak.ts';
import { type Diagnosis, hasCode } from '../errors.ts';
import { contentType } from '../protocol/endpoints.ts';
import { isJsonObject, type JsonObject, jsonTypeOf, readJson } from '../protocol/json.ts';
import { parseCallbackRequest } from '../protocol/operations.ts';
import { successCode } from '../protocol/response.ts';
import { generatePasscode, generateUserCode, generateUserInformation } from '../protocol/user.ts';
import {
  type CapturedExchange,
  type CapturedRequest,
  type CapturedResponse,
  isCallback,
  isOfCheck,
  jsonOf,
} from './capture.ts';
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
  readonly outcome: ReplayOutcome;
  readonly differences: readonly Difference[];
  /** What is wrong with the response to a request that is to be accepted. */
  readonly diagnosis?: Diagnosis;
}

/** Without "still" or "now" where the recording has no response. */
type ReplayOutcome = `${'' | 'still ' | 'now '}${'accepted' | 'refused'}`;

/** How many of the latest keys are looked for in a response. */
const mostLeakedKeys = 16;

interface ReplayedUser {
  readonly ptnCd: string;
  key?: string;
}

/**
 * Sends recorded callbacks again, in their order, with fresh users and another key pair: what sends one, or returns
 * undefined for an exchange that is not a callback.
 */
export function startReplay(options: ReplayOptions) {
  const { url, clientId, transport, keyPair, cipher, randomBytes, now, hide } = options;
  const users = new Map<string, ReplayedUser>();
  const keys: string[] = [];

  function userFor(recorded: string): ReplayedUser {
    const user = users.get(recorded) ?? { ptnCd: generateUserCode(randomBytes) };
    users.set(recorded, user);
    return user;
  }

  /** The recorded body with what belongs to its user replaced; a body that isn't JSON as it was. */
  function bodyFor(
    request: CapturedRequest,
    recordedKey: Secret | undefined,
    user: ReplayedUser | undefined,
  ): Uint8Array {
    const fields = jsonOf(request);
    if (Object.keys(fields).length === 0) return request.body;
    const replaced: Record<string, unknown> = { ...fields };
    if (user !== undefined) replaced.ptn_cd = user.ptnCd;
    if (clientId !== undefined) replaced.client_id = clientId;
    const { public_key: sent } = fields;
    // what was not a key stays as it was
    if (typeof sent === 'string' && publicKeyIn(sent) !== undefined) {
      const { publicKey } = keyPair;
      replaced.public_key = encodeLike(sent, publicKey.spki) ?? exportPublicKey(publicKey);
    }
    const invented = {
      partner_sp: () => generatePasscode(randomBytes),
      ubifill: () => generateUserInformation(user?.ptnCd ?? ''),
    };
    for (const [field, invent] of Object.entries(invented)) {
      const payload = fields[field];
      if (typeof payload !== 'string' || payload === '') continue;
      replaced[field] = encrypt(textOf(payload, recordedKey) || invent(), user?.key);
    }
    return encodeUtf8(JSON.stringify(replaced));
  }

  /** The recorded text, where its key is known. */
  function textOf(payload: string, key: Secret | undefined): string | undefined {
    const known = key && decryptPayload(payload, key.reveal(), cipher);
    return known?.ok ? decodeUtf8(known.plaintext) : undefined;
  }

  function encrypt(text: string, key: string | undefined): string {
    hide(Secret.text(text));
    const under = (key: string) => encryptPayload(encodeUtf8(text), key, cipher, randomBytes);
    try {
      return under(key ?? generatePerUserKey(randomBytes));
    } catch (error) {
      // the application's key doesn't fit the cipher, as its key exchange already says
      if (!hasCode(error, 'usage')) throw error;
      return under(generatePerUserKey(randomBytes));
    }
  }

  async function judgedKeyExchange(exchange: Exchange, sent: JsonObject) {
    const [clientId = '', ptnCd = ''] = [sent.client_id, sent.ptn_cd].map(String);
    const context = { keyPair, clientId, ptnCd, earlierKeys: [...keys], now: now() };
    const outcome = await judgeKeyExchange(exchange, context);
    if (outcome.key !== undefined) keys.push(outcome.key.reveal());
    return outcome;
  }

  return async (recorded: CapturedExchange): Promise<ReplayedCallback | undefined> => {
    const { operation, request, ptnCd } = recorded;
    if (!isCallback(recorded) || !request) return undefined;
    const user = ptnCd === undefined ? undefined : userFor(ptnCd);
    const body = bodyFor(request, recorded.key, user);
    const type = headerOf(request.headers ?? [], 'content-type') ?? contentType;
    const { method = 'POST' } = request;
    const headers = [['Content-type', type]] as const;
    const exchange = await transport.send({ method, url, headers, body });
    const isExchange = operation === 'key-exchange';
    const { ok, diagnosis, key } = isExchange
      ? await judgedKeyExchange(exchange, jsonOf({ body }))
      : { ...(await judgeRegistration(exchange, cipher)), key: undefined };
    const response = responseOf(exchange);
    // a key of this replay, in plain in a response (section 4.1.1 rule 2)
    const leaks = keyLeakFinder(keys.slice(-mostLeakedKeys));
    if (user !== undefined && key !== undefined) user.key = key.reveal();
    if (key !== undefined) hide(key);
    const seen = response && { ...response, isCut: exchange.response === undefined };
    const { code: recordedCode } = jsonOf(recorded.response);
    const wasAccepted = recordedCode === successCode;
    const kept = wasAccepted === ok ? 'still ' : 'now ';
    const isValid = !isOfCheck(recorded) && parseCallbackRequest(request.body).ok;
    const to = isExchange ? 'the key exchange' : 'the registration';
    return {
      recorded,
      ptnCd: user?.ptnCd,
      exchange,
      outcome: `${recordedCode === undefined ? '' : kept}${ok ? 'accepted' : 'refused'}`,
      differences: compareResponses(recorded.response, seen),
      diagnosis:
        (!ok && (isValid || wasAccepted) && diagnosis) ||
        (response && leaks(response, to)?.diagnosis),
    };
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

/**
 * Compares two responses to the same request: the status, the headers that matter, the code, and
 * which fields of which types the JSON has. Messages, keys and tokens may differ. What a recording
 * doesn't contain is not compared.
 */
export function compareResponses(
  before: CapturedResponse | undefined,
  after: CapturedResponse | undefined,
): readonly Difference[] {
  if (before === undefined) return [];
  if (after === undefined) {
    return [{ what: 'response', recorded: `HTTP ${before.status ?? '?'}`, replayed: 'none' }];
  }
  const headers = before.headers && after.headers ? comparedHeaders : [];
  return [
    ...difference('HTTP status', before.status, before.status && after.status),
    ...headers.flatMap((name) => difference(name, headerIn(before, name), headerIn(after, name))),
    ...(before.isCut || after.isCut ? [] : bodyDifferences(before.body, after.body)),
  ];
}

function difference(
  what: string,
  recorded: string | number | undefined,
  replayed: string | number | undefined,
): readonly Difference[] {
  if (recorded === replayed) return [];
  return [{ what, recorded: `${recorded ?? 'none'}`, replayed: `${replayed ?? 'none'}` }];
}

/** Blanks and the case of a value mean nothing in the headers that are compared. */
function headerIn({ headers = [] }: CapturedResponse, name: string): string | undefined {
  const parts = headerOf(headers, name)?.toLowerCase().split(';');
  return parts?.map((part) => part.trim()).join('; ');
}

function bodyDifferences(body: Uint8Array, other: Uint8Array): readonly Difference[] {
  const [recorded, replayed] = [readJson(body), readJson(other)];
  if (!recorded.ok || !replayed.ok) {
    const [form, otherForm] = [recorded, replayed].map(({ ok }) => (ok ? 'JSON' : 'not JSON'));
    return difference('body', form, otherForm);
  }
  const [before, after] = [recorded.value, replayed.value];
  const [types, otherTypes] = [typesOf(before), typesOf(after)];
  const codeOf = ({ code }: JsonObject) => JSON.stringify(code);
  const areObjects = isJsonObject(before) && isJsonObject(after);
  return [
    ...(areObjects ? difference('code', codeOf(before), codeOf(after)) : []),
    ...[...new Set([...types.keys(), ...otherTypes.keys()])].flatMap((path) =>
      difference(path, types.get(path), otherTypes.get(path)),
    ),
  ];
}

/** Deeper fields say nothing about this interface. */
const deepest = 4;

/** The type of every field, by its path; elements of an array are one. */
function typesOf(value: unknown, path = '', depth = 0): ReadonlyMap<string, string> {
  const types = new Map<string, string>([[path === '' ? 'body' : path, jsonTypeOf(value)]]);
  if (depth >= deepest || typeof value !== 'object' || value === null) return types;
  for (const [key, child] of Object.entries(value)) {
    const name = Array.isArray(value) ? '[]' : key;
    const childPath = path === '' ? name : `${path}.${name}`;
    for (const [found, type] of typesOf(child, childPath, depth + 1)) types.set(found, type);
  }
  return types;
}
