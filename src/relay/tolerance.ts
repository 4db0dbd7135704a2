import { encodeUtf8 } from '../bytes.ts';
import { headerOf } from '../client/exchange.ts';
import { publicKeyIn } from '../crypto/key-reading.ts';
import { exportPublicKey } from '../crypto/rsa-key.ts';
import type { EmulatorRequest } from '../emulator/http.ts';
import { contentType, method, saysJsonInUtf8 } from '../protocol/endpoints.ts';
import type { JsonObject } from '../protocol/json.ts';
import { type CapturedRequest, jsonOf } from './capture.ts';

/** Departures of requests that a recorded side accepted, so that its emulation accepts them too. */
export class Tolerance {
  readonly #accepted = new Set<string>();

  /** @param request one that was accepted */
  observe({ method: sent = method, headers, body }: CapturedRequest): void {
    const type = headers === undefined ? contentType : headerOf(headers, 'content-type');
    for (const departure of departuresIn(sent, type, jsonOf({ body }))) {
      this.#accepted.add(departure);
    }
  }

  /** The request as the interface has it, if it departs from it only as accepted ones did. */
  normalise(request: EmulatorRequest): EmulatorRequest {
    const fields = jsonOf(request);
    const type = request.headers['content-type'];
    const departures = departuresIn(request.method, type, fields);
    const isTolerated = departures.every((departure) => this.#accepted.has(departure));
    if (departures.length === 0 || !isTolerated) return request;
    const headers = { ...request.headers, 'content-type': contentType };
    const body = encodeUtf8(JSON.stringify(normalisedFields(fields)));
    return { ...request, method, headers, body };
  }
}

function departuresIn(
  sentMethod: string,
  type: string | undefined,
  fields: JsonObject,
): readonly string[] {
  const normalised = normalisedFields(fields);
  return [
    ...(sentMethod === method ? [] : [`method ${sentMethod}`]),
    ...(saysJsonInUtf8(type) ? [] : [`content type ${type}`]),
    ...Object.keys(fields).filter((name) => fields[name] !== normalised[name]),
  ];
}

/** Numbers as texts, and a `public_key` in any form as one line of Base64 (section 2.2). */
function normalisedFields(fields: JsonObject): JsonObject {
  const entries = Object.entries(fields).map(([name, value]) => {
    if (typeof value === 'number') return [name, String(value)];
    const key = name === 'public_key' && typeof value === 'string' ? publicKeyIn(value) : undefined;
    return [name, key === undefined ? value : exportPublicKey(key.key)];
  });
  return Object.fromEntries(entries);
}
