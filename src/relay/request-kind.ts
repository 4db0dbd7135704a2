import { publicKeyIn } from '../crypto/key-reading.ts';
import type { CodeEntry, Refusal } from '../emulator/handling.ts';
import type { EmulatorRequest } from '../emulator/http.ts';
import {
  applicationCodes,
  refusalOfHttp,
  refusalOfReading,
  serviceCodes,
} from '../emulator/refusals.ts';
import { parseAuthenticateRequest } from '../protocol/authenticate.ts';
import { parseCallbackRequest } from '../protocol/callbacks.ts';
import type { RequestReading } from '../protocol/request.ts';
import { successCode } from '../protocol/response.ts';
import { parseTokenRequest } from '../protocol/token.ts';
import { type CapturedExchange, jsonOf } from './capture.ts';

/** What a recorded request asked for: `accepted`, or the reason for which the emulator would refuse it. */
export type RequestKind = 'accepted' | Refusal['name'];

/** Distinguishes recorded requests by what was recorded before them, in the terms of the emulators. */
export class RequestKinds {
  /** Of requests that were accepted. */
  readonly #clients = new Set<string>();
  readonly #users = new Set<string>();
  readonly #ptnTokens = new Set<unknown>();
  readonly #issued = new Set<unknown>();
  readonly #used = new Set<unknown>();

  /** Undefined for other traffic, and for a request of which the recording has no response. */
  kindOf(exchange: CapturedExchange): RequestKind | undefined {
    const { operation, response } = exchange;
    if (response === undefined || sideOf(exchange) === undefined) return undefined;
    const { code, result } = jsonOf(response);
    if (code === undefined) return undefined;
    if (code !== successCode) return this.#refusalOf(exchange);
    const sent = jsonOf(exchange.request);
    this.#clients.add(clientOf(exchange));
    if (exchange.ptnCd !== undefined) this.#users.add(exchange.ptnCd);
    if (operation === 'token') {
      this.#ptnTokens.add(sent.ptn_token);
      this.#issued.add((result as { acs_token?: unknown } | undefined)?.acs_token);
    }
    if (operation === 'authenticate') this.#used.add(sent.acs_token);
    return 'accepted';
  }

  #refusalOf(exchange: CapturedExchange): RequestKind | undefined {
    if (exchange.request === undefined) return undefined;
    const malformed = malformedKind(exchange);
    if (malformed !== undefined) return malformed;
    const isForeign = this.#clients.size > 0 && !this.#clients.has(clientOf(exchange));
    const sent = jsonOf(exchange.request);
    switch (exchange.operation) {
      case 'key-exchange':
        if (publicKeyIn(String(sent.public_key)) === undefined) return 'public-key';
        return isForeign ? 'foreign-client' : undefined;
      case 'registration':
        if (isForeign) return 'foreign-client';
        return this.#users.has(exchange.ptnCd ?? '') ? 'undecryptable' : 'unknown-user';
      case 'token':
        if (isForeign) return 'client';
        return this.#ptnTokens.has(sent.ptn_token) ? 'ptn-token-expired' : 'ptn-token';
      case 'authenticate':
        if (isForeign) return 'client';
        if (this.#used.has(sent.acs_token)) return 'acs-token-used';
        return this.#issued.has(sent.acs_token) ? 'acs-token-expired' : 'acs-token';
      default:
        return undefined;
    }
  }
}

/** Which side responded; undefined for other traffic. */
export function sideOf({
  operation,
  request,
}: CapturedExchange): 'application' | 'service' | undefined {
  if (operation === 'token' || operation === 'authenticate') return 'service';
  return operation !== 'other' || 'used_type' in jsonOf(request) ? 'application' : undefined;
}

/** The service identifies its clients by both, an application by the first alone. */
function clientOf(exchange: CapturedExchange): string {
  const { client_id: clientId, secret_key: secretKey } = jsonOf(exchange.request);
  return JSON.stringify(sideOf(exchange) === 'application' ? [clientId] : [clientId, secretKey]);
}

/** What is wrong with a request whoever sends it. */
function malformedKind(exchange: CapturedExchange): RequestKind | undefined {
  const codes: Readonly<
    Record<
      'not-json' | 'method' | 'content-type' | 'body-too-large' | 'field-missing' | 'field-type',
      CodeEntry
    >
  > = sideOf(exchange) === 'application' ? applicationCodes : serviceCodes;
  const request = emulatorRequest(exchange);
  const ofHttp = exchange.request?.headers && refusalOfHttp(request, codes);
  if (ofHttp !== undefined) return ofHttp.name;
  const reading = readRequest(exchange, request.body);
  if (reading.ok) return undefined;
  return reading.field === 'used_type' ? 'used-type' : refusalOfReading(reading, codes).name;
}

function readRequest({ operation }: CapturedExchange, body: Uint8Array): RequestReading<unknown> {
  if (operation === 'token') return parseTokenRequest(body);
  return operation === 'authenticate' ? parseAuthenticateRequest(body) : parseCallbackRequest(body);
}

function emulatorRequest({ request }: CapturedExchange): EmulatorRequest {
  const headers = (request?.headers ?? []).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    method: request?.method ?? 'POST',
    path: request?.target ?? '/',
    headers: Object.fromEntries(headers),
    body: request?.body ?? new Uint8Array(),
  };
}
