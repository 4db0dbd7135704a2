import { type KeyExchangeRequest, keyExchangeShape } from './key-exchange.ts';
import { type RegistrationRequest, registrationShape } from './registration.ts';
import { parseRequestFields, parseRequestObject, type RequestReading } from './request.ts';

/** Either callback; both come to one URL and `used_type` distinguishes them (section 4.1). */
export type CallbackRequest =
  | (KeyExchangeRequest & { readonly usedType: '1' })
  | (RegistrationRequest & { readonly usedType: '2' });

/** Reads a request to the callback URL as the callback that its `used_type` says; never throws. */
export function parseCallbackRequest(body: Uint8Array): RequestReading<CallbackRequest> {
  const object = parseRequestObject(body);
  if (!object.ok) return object;
  const json = object.value;
  if (json.used_type === '2') return tagged('2', parseRequestFields(json, registrationShape));
  const reading = tagged('1', parseRequestFields(json, keyExchangeShape));
  if (reading.ok || reading.field !== 'used_type' || typeof json.used_type !== 'string') {
    return reading;
  }
  return { ...reading, problem: 'The field "used_type" must be "1" or "2".' };
}

function tagged<T extends object, U extends '1' | '2'>(
  usedType: U,
  reading: RequestReading<T>,
): RequestReading<T & { readonly usedType: U }> {
  return reading.ok ? { ...reading, value: { ...reading.value, usedType } } : reading;
}
