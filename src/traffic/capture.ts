import { type Exchange, type Headers, headerOf, unknownStatus } from '../client/exchange.ts';
import { checkHeader } from '../conformance/context.ts';
import { Secret } from '../crypto/secret.ts';
import type { Operation } from '../emulator/handling.ts';
import type { Diagnosis } from '../errors.ts';
import { method } from '../protocol/endpoints.ts';
import { isJsonObject, type JsonObject, objectIn } from '../protocol/json.ts';
import { secretsInMessage } from '../protocol/secret-fields.ts';
import { redacted } from '../reports/redact.ts';

/** One message as it was seen; what a log left out is undefined, not empty. */
export interface CapturedMessage {
  /** In their order and case. */
  readonly headers?: Headers;
  /** After content decoding. */
  readonly body: Uint8Array;
  /** `body` is only a part of what was sent: its beginning, or what a logger did not mask. */
  readonly isCut?: boolean;
}

export interface CapturedRequest extends CapturedMessage {
  readonly method?: string;
  /** Path and query, as in the request line. */
  readonly target?: string;
}

export interface CapturedResponse extends CapturedMessage {
  readonly status?: number;
  readonly statusText?: string;
}

/** One exchange between service and application, whoever wrote it down: a relay, a recording, a HAR file or a log. */
export interface CapturedExchange {
  /** Where it was found, such as `line 12`, for evidence. */
  readonly source: string;
  readonly operation: Operation | 'other';
  readonly ptnCd?: string;
  /** Milliseconds since the epoch. */
  readonly startedAt?: number;
  /** `startedAt` was written without an offset, and is read as UTC. */
  readonly isLocalTime?: true;
  readonly durationMs?: number;
  /** Of the application: a container, a pod, a host. */
  readonly instance?: string | undefined;
  readonly request?: CapturedRequest;
  readonly response?: CapturedResponse;
  /** Why the response is missing or incomplete. */
  readonly failure?: Diagnosis;
  /** An application or a server wrote it to a log, where others may read it. */
  readonly isLogged?: true;
  /** A log has no response to it, and doesn't say why. */
  readonly isUnanswered?: true;
  /** What a log says of an error between the request and the response. */
  readonly beside?: string | undefined;
  /** The per-user key that encrypts the payloads of this exchange, where it is known. */
  readonly key?: Secret;
  /** It was recorded without the values of secrets. */
  readonly isRedacted?: true;
  /** The response may be that of another request that was open at the same time. */
  readonly isPairUnsure?: true;
  /** It was sent wrong on purpose, or for a check that only authcli makes: a refusal says nothing. */
  readonly isTest?: true;
}

/**
 * What an exchange is about, by the fields of its request and, where that is missing or no JSON
 * object, those of its response (section 4).
 */
export function subjectOf(
  request: Pick<CapturedMessage, 'body'> | undefined,
  response?: Pick<CapturedMessage, 'body'>,
): Pick<CapturedExchange, 'operation' | 'ptnCd'> {
  return subjectIn(jsonOf(request), jsonOf(response));
}

/** The same of fields that were read. */
export function subjectIn(
  sent: JsonObject,
  received: JsonObject,
): Pick<CapturedExchange, 'operation' | 'ptnCd'> {
  const result = isJsonObject(received.result) ? received.result : {};
  const ptnCd = [sent.ptn_cd, result.ptn_cd].find((code) => typeof code === 'string');
  const operation = operationOfRequest(sent) ?? operationOfResult(result) ?? 'other';
  return { operation, ...(ptnCd !== undefined && { ptnCd }) };
}

/** The text of a field; undefined for what isn't one, and for what an output of authcli hid: that is unknown. */
export function knownText(value: unknown): string | undefined {
  return typeof value === 'string' && !isHidden(value) ? value : undefined;
}

export function isHidden(value: unknown): boolean {
  return typeof value === 'string' && value.includes(redacted);
}

/** Whether the service calls the application, rather than the other way round. */
export function isCallback({ operation }: CapturedExchange): boolean {
  return operation === 'key-exchange' || operation === 'registration';
}

/** The operation; method and path of other requests. */
export function titleOf({ operation, request }: CapturedExchange): string {
  const [path = ''] = (request?.target ?? '').split('?');
  return operation === 'other' ? `${request?.method ?? ''} ${path}` : operation;
}

/** What is secret in an exchange: its key, and fields and headers by their names. */
export function secretsOf({ key, request, response }: CapturedExchange): readonly Secret[] {
  const query = /\?(.*)/s.exec(request?.target ?? '')?.[1];
  const texts = [
    request && { headers: request.headers, query, body: request.body },
    response,
  ].flatMap((message) => (message === undefined ? [] : secretsInMessage(message)));
  const named = texts.map((text) => Secret.text(text));
  return key === undefined ? named : [key, ...named];
}

/** The fields of a body that is a JSON object, else none. */
export function jsonOf(message: Pick<CapturedMessage, 'body'> | undefined): JsonObject {
  return (message && objectIn(message.body)) ?? {};
}

function operationOfRequest(fields: JsonObject): Operation | undefined {
  if (String(fields.used_type) === '2' || 'partner_sp' in fields) return 'registration';
  if (String(fields.used_type) === '1' || 'public_key' in fields) return 'key-exchange';
  if ('acs_token' in fields) return 'authenticate';
  return 'ptn_token' in fields || 'secret_key' in fields ? 'token' : undefined;
}

function operationOfResult(fields: JsonObject): Operation | undefined {
  if ('enc_partner_key' in fields) return 'key-exchange';
  if ('ptn_sp' in fields) return 'authenticate';
  return 'acs_token' in fields ? 'token' : undefined;
}

/** In the place of an address that was not recorded (RFC 2606 2). */
const nowhere = new URL('http://recorded.invalid');

/** A captured exchange as one that was sent here; what is missing is empty, an unknown status is 0. */
export function toExchange(captured: CapturedExchange): Exchange {
  const { request, response, failure, startedAt = 0, durationMs = 0 } = captured;
  const wireResponse = response && {
    status: response.status ?? unknownStatus,
    statusText: response.statusText ?? '',
    httpVersion: 'HTTP/1.1',
    headers: response.headers ?? [],
    body: response.body,
    encodedBodyBytes: response.body.length,
  };
  const isWhole = failure === undefined && response?.isCut !== true;
  return {
    request: {
      method: request?.method ?? method,
      url: urlOf(request?.target),
      headers: request?.headers ?? [],
      body: request?.body ?? new Uint8Array(),
    },
    startedAt,
    durationMs,
    timings: {},
    attempts: 1,
    ...(failure && { failure }),
    ...(wireResponse && (isWhole ? { response: wireResponse } : { partial: wireResponse })),
  };
}

function urlOf(target: string | undefined): URL {
  if (target === undefined) return nowhere;
  // a path may begin with `//`, and is none of another host
  const place = target.startsWith('/') ? nowhere.origin + target : target;
  return URL.canParse(place, nowhere.href) ? new URL(place, nowhere) : nowhere;
}

/** Whether authcli itself sent the request: what it tries may be refused. */
export function isOfCheck({ request, isTest }: CapturedExchange): boolean {
  return isTest === true || headerOf(request?.headers ?? [], checkHeader) !== undefined;
}

/** Whether a response can be judged: one that a log cut off or left out, or that is hidden, can't be blamed. */
export function hasOutcome({ response, failure }: CapturedExchange): boolean {
  const { enc_partner_key: wrapped, ptn_sp: passcode } = Object(jsonOf(response).result);
  const isKnown = ![wrapped, passcode].some(isHidden);
  return failure !== undefined || (response !== undefined && !response.isCut && isKnown);
}
