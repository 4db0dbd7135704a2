import type { JsonObject } from './json.ts';
import { encodeRequest, parseRequest, type RequestReading, type RequestShape } from './request.ts';
import {
  encodeSuccess,
  type ResponseReading,
  type ResultFields,
  readResponse,
} from './response.ts';

/** The messages of one operation, bytes to values and back. */
export interface Operation<Request, Result> {
  /** The body of a request, its fields in the order of section 4. */
  readonly encodeRequest: (request: Request) => Uint8Array;
  /** Reads a request, payloads still encrypted and keys not yet read; never throws. */
  readonly parseRequest: (body: Uint8Array) => RequestReading<Request>;
  /** The body of a response with "0000" and the result. */
  readonly encodeResponse: (result: Result, message?: string) => Uint8Array;
  /** Reads a response by the section of the operation; never throws. */
  readonly readResponse: (body: Uint8Array) => ResponseReading<Result>;
}

/** The operation of these fields; without `result` (registration complete) `result` is neither written nor read. */
export function defineOperation<Request extends object, Result extends object>(
  shape: RequestShape<Request>,
  result?: ResultFields<Result>,
): Operation<Request, Result> {
  const names = Object.entries<{ readonly name: string }>(result ?? {});
  const toWire = (values: JsonObject) =>
    Object.fromEntries(names.map(([property, { name }]) => [name, values[property]]));
  return {
    encodeRequest: (request) => encodeRequest(request, shape),
    parseRequest: (body) => parseRequest(body, shape),
    encodeResponse: (values, message = '') =>
      encodeSuccess(result && toWire(values as JsonObject), message),
    readResponse: (body) => readResponse(body, result),
  };
}
