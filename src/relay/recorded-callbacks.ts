import { decodeUtf8, encodeUtf8 } from '../bytes.ts';
import type { Headers, WireRequest } from '../client/exchange.ts';
import type { Transport } from '../client/transport.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { publicKeyIn } from '../crypto/key-reading.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import type { RsaPublicKey } from '../crypto/rsa-key.ts';
import type { JsonObject } from '../protocol/json.ts';
import { successCode } from '../protocol/response.ts';
import type { Attribute } from '../protocol/user-info.ts';
import { writeLike } from '../protocol/user-info-writing.ts';
import { type CapturedExchange, jsonOf } from './capture.ts';
import { encodeLike, likeRecorded } from './text-form.ts';

type Callback = 'key-exchange' | 'registration';

/** Of the connection, of the target, or of the recorded body. */
const ownHeaders = new Set([
  ...['host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'expect', 'te'],
  ...['trailer', 'upgrade', 'content-encoding', 'content-md5', 'digest', 'date', 'accept-encoding'],
]);

/** How a recorded service sends its callbacks: one of each kind is the model of all. */
export class RecordedCallbacks {
  readonly #models: Partial<Record<Callback, CapturedExchange>> = {};
  /** A registration whose user information can be read. */
  #withUserInfo: CapturedExchange | undefined;
  #hasUserInfo = false;

  /** An accepted callback is a better model than a refused one. */
  observe(exchange: CapturedExchange): void {
    const { operation, request, key, isTest } = exchange;
    if (operation !== 'key-exchange' && operation !== 'registration') return;
    const fields = jsonOf(request);
    if (isTest || request?.isCut || Object.keys(fields).length === 0) return;
    const model = this.#models[operation];
    const isBetter = model === undefined || (isAccepted(exchange) && !isAccepted(model));
    if (isBetter) this.#models[operation] = exchange;
    if (typeof fields.ubifill !== 'string') return;
    this.#hasUserInfo = true;
    if (key !== undefined) this.#withUserInfo ??= exchange;
  }

  /** No callback was recorded. */
  get isEmpty(): boolean {
    return Object.keys(this.#models).length === 0;
  }

  /** The first `public_key` that is a key: its size and exponent. */
  get publicKey(): RsaPublicKey | undefined {
    const text = jsonOf(this.#models['key-exchange']?.request).public_key;
    return typeof text === 'string' ? publicKeyIn(text)?.key : undefined;
  }

  /** User information as the service writes it; undefined where that can't be read. */
  userInfo(
    attributes: Readonly<Record<Attribute, string>>,
    ptnCd: string,
    cipher: Cipher,
  ): string | undefined {
    const { request, key, ptnCd: from } = this.#withUserInfo ?? {};
    const result = key && decryptPayload(String(jsonOf(request).ubifill), key.reveal(), cipher);
    const model = result?.ok ? decodeUtf8(result.plaintext) : undefined;
    return model === undefined ? undefined : writeLike(model, attributes, { from, to: ptnCd });
  }

  /** False where no recorded registration has user information. */
  get sendsUserInfo(): boolean {
    return this.#models.registration === undefined || this.#hasUserInfo;
  }

  /** A transport that sends each callback as the service would. */
  over(transport: Transport): Transport {
    return {
      send: (request, connection) => transport.send(this.#asRecorded(request), connection),
      close: () => transport.close(),
    };
  }

  #asRecorded(request: WireRequest): WireRequest {
    const own = jsonOf({ body: request.body ?? new Uint8Array() });
    const model = this.#models[own.used_type === '1' ? 'key-exchange' : 'registration'];
    if (model?.request === undefined) return request;
    const body = encodeUtf8(JSON.stringify(fieldsLike(jsonOf(model.request), own, model.ptnCd)));
    const { method = request.method, headers } = model.request;
    return { ...request, method, headers: headersLike(headers) ?? request.headers, body };
  }
}

function isAccepted({ response }: CapturedExchange): boolean {
  return jsonOf(response).code === successCode;
}

/** Fields of the interface that only some callbacks have. */
const optionalFields = new Set(['ubifill']);

/** The recorded fields in their order and type, with the values of this callback. */
function fieldsLike(model: JsonObject, own: JsonObject, user: string | undefined): JsonObject {
  const fields = Object.entries(model).flatMap(([name, recorded]) => {
    const value = own[name];
    if (value === undefined && optionalFields.has(name)) return [];
    if (value === undefined) return [[name, recorded === user ? own.ptn_cd : recorded]];
    const isKey = name === 'public_key' && typeof recorded === 'string';
    return [[name, isKey ? keyLike(recorded, String(value)) : likeRecorded(recorded, value)]];
  });
  const written = Object.fromEntries(fields);
  const added = Object.entries(own).filter(([name]) => optionalFields.has(name));
  return { ...written, ...Object.fromEntries(added.filter(([name]) => !(name in written))) };
}

function keyLike(recorded: string, own: string): string {
  return encodeLike(recorded, Buffer.from(own, 'base64')) ?? own;
}

/** Credentials of which only a pseudonym was recorded are left out. */
function headersLike(recorded: Headers | undefined): Headers | undefined {
  return recorded?.filter(
    ([name, value]) => !ownHeaders.has(name.toLowerCase()) && !/\bsecret:\d+/.test(value),
  );
}
