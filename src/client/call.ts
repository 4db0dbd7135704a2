import { encodeUtf8 } from '../bytes.ts';
import type { Secret } from '../crypto/secret.ts';
import { diagnoseRedirect, type RequestSubject } from '../diagnosis/response.ts';
import type { Diagnosis } from '../errors.ts';
import { contentType, isJsonContentType } from '../protocol/endpoints.ts';
import { type JsonObject, objectIn } from '../protocol/json.ts';
import type { KeyExchangeResult, RegistrationResult } from '../protocol/operations.ts';
import { type ResponseReading, statusNote } from '../protocol/response.ts';
import { excerptOf } from '../text.ts';
import {
  type Exchange,
  headerOf,
  type Transport,
  type WireRequest,
  type WireResponse,
} from './exchange.ts';

/** One call of the interface: what went over the wire, and what it means. */
export interface CallOutcome<T> {
  readonly exchange: Exchange;
  /** What the response contains; absent if none came, or a redirect. */
  readonly reading?: ResponseReading<T>;
  /** Set exactly when the response is right and its `code` is "0000". */
  readonly result?: T;
  readonly ok: boolean;
  /** Why not; beside `ok`, a weakness. */
  readonly diagnosis?: Diagnosis;
  readonly notes: readonly string[];
}

/** The key exchange, its wrapped key decrypted. */
export interface KeyExchangeOutcome extends CallOutcome<KeyExchangeResult> {
  readonly usedType: '1';
  /** The per-user key, also if it came damaged but readable. */
  readonly key?: Secret;
  /** Everything found out about the wrapped key and the key inside, the outermost first. */
  readonly diagnoses: readonly Diagnosis[];
}

export interface RegistrationOutcome extends CallOutcome<RegistrationResult> {
  readonly usedType: '2';
}

/** The request of an operation (section 4): POST, JSON, the header to the letter. */
export function toWireRequest(url: URL, body: Uint8Array): WireRequest {
  return { method: 'POST', url, headers: [['Content-type', contentType]], body };
}

/** The request with other fields in its JSON body, or with another text as its body. */
export function editFields(
  request: WireRequest,
  edit: (fields: JsonObject) => JsonObject | string,
): WireRequest {
  const body = edit(objectIn(request.body) ?? {});
  return { ...request, body: encodeUtf8(typeof body === 'string' ? body : JSON.stringify(body)) };
}

/** Sends `request` and judges the response with `read`; never rejects for the peer's faults. */
export async function call<T>(
  transport: Transport,
  request: WireRequest,
  read: (body: Uint8Array) => ResponseReading<T>,
): Promise<CallOutcome<T>> {
  return judgeExchange(await transport.send(request), read);
}

/**
 * Judges an exchange: its failure, a redirect (which is never followed, whatever its body says),
 * then the body. The HTTP status and the content type are open in the interface:
 * what is odd about them is a note. What explains a wrong response is loaded when one comes.
 */
export async function judgeExchange<T>(
  exchange: Exchange,
  read: (body: Uint8Array) => ResponseReading<T>,
  subject: RequestSubject = {},
): Promise<CallOutcome<T>> {
  const { response } = exchange;
  if (response === undefined) {
    return { exchange, ok: false, diagnosis: exchange.failure, notes: [] };
  }
  const type = headerOf(response.headers, 'content-type');
  const { status } = response;
  const location = headerOf(response.headers, 'location');
  const redirect = diagnoseRedirect({ status, location, url: exchange.request.url });
  if (redirect !== undefined) {
    return { exchange, ok: false, diagnosis: await throughProxy(redirect, exchange), notes: [] };
  }
  const reading = read(response.body);
  const notes = [...reading.notes, ...notesOf(response, type, reading)];
  const { problem, result } = reading;
  if (problem === undefined) return { exchange, reading, result, ok: result !== undefined, notes };
  const { diagnoseResponse } = await import('../diagnosis/response.ts');
  const found = diagnoseResponse(problem, { status, contentType: type, ...subject });
  const diagnosis = reading.json === undefined ? await throughProxy(found, exchange) : found;
  return { exchange, reading, ok: false, diagnosis, notes };
}

/** With the proxy, where it may have sent the response. */
async function throughProxy(found: Diagnosis, { proxy }: Exchange): Promise<Diagnosis> {
  if (proxy === undefined) return found;
  const { behindProxy } = await import('../diagnosis/connection.ts');
  return { ...found, message: found.message + behindProxy({ proxy }) };
}

function notesOf<T>(
  { status }: WireResponse,
  type: string | undefined,
  reading: ResponseReading<T>,
): readonly string[] {
  const notes = [statusNote(reading, status) ?? []].flat();
  // A body that is not JSON has its own diagnosis, which names the content type too.
  if (reading.json === undefined || isJsonContentType(type)) return notes;
  const aboutType =
    type === undefined
      ? 'The response has no Content-Type; it should be application/json.'
      : `The Content-Type of the response is ${excerptOf(type, 80)}; it should be application/json.`;
  return [...notes, aboutType];
}
