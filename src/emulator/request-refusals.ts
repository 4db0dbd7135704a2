import { contentType, method, saysJsonInUtf8 } from '../protocol/endpoints.ts';
import { isJsonObject, ownProperty } from '../protocol/json-type.ts';
import type { RequestReading } from '../protocol/request.ts';
import { type CodeEntry, type Refusal, refusal } from './handling.ts';
import type { EmulatorRequest } from './http.ts';

type HttpRefusal = 'method' | 'content-type' | 'body-too-large';
type ReadingRefusal = 'not-json' | 'field-missing' | 'field-type';
type Codes<Name extends string> = Readonly<Record<Name, CodeEntry>>;

/** What is wrong with a request before its body is read; both sides ask for the same. */
export function refusalOfHttp(
  request: EmulatorRequest,
  codes: Codes<HttpRefusal>,
): Refusal | undefined {
  if (request.method !== method) {
    return refusal(codes, 'method', `The method must be ${method}.`, { allow: method });
  }
  if (!saysJsonInUtf8(request.headers['content-type'])) {
    return refusal(codes, 'content-type', `The Content-type must be ${contentType}.`);
  }
  if (request.bodyTooLarge) return refusal(codes, 'body-too-large', 'The body is too large.');
  return undefined;
}

/** What is wrong with a body that the protocol could not read. */
export function refusalOfReading(
  { problem, field, json }: Extract<RequestReading<unknown>, { ok: false }>,
  codes: Codes<ReadingRefusal>,
): Refusal {
  return refusal(codes, nameOf(field, json), problem);
}

function nameOf(field: string | undefined, json: unknown): ReadingRefusal {
  if (field === undefined || !isJsonObject(json)) return 'not-json';
  const value = ownProperty(json, field);
  if (value === undefined || value === '') return 'field-missing';
  // A string whose field is named all the same: the name stands twice.
  return typeof value === 'string' ? 'not-json' : 'field-type';
}

/** The text of a field in a request that could not be read whole, where it can be seen. */
export function seenField(json: unknown, name: string): string | undefined {
  const value = isJsonObject(json) ? ownProperty(json, name) : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
