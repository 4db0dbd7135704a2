import { decodeBase64Lenient, decodeHex, encodeUtf8 } from '../bytes.ts';
import { keepingLatest } from '../latest-results.ts';
import { ownProperty } from '../text.ts';
import { expireDtFormat, parseExpireDt } from './expiry.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonReading,
  jsonTypeOf,
  otherProperties,
  readJson,
} from './json.ts';
import { type ResultFields, readResponse, successCode } from './response.ts';

/**
 * A request, read as strictly as section 4 has it. `problem` is a sentence that names the field
 * and what is wrong, without repeating its value; `field` is its wire name.
 */
export type RequestReading<T> =
  | { readonly ok: true; readonly value: T; readonly unknownFields: JsonObject }
  | {
      readonly ok: false;
      readonly problem: string;
      readonly field?: string;
      readonly json?: unknown;
    };

/** What a request of one operation looks like. */
interface RequestShape<T> {
  /** The wire names, by the name of their property. */
  readonly fields: { readonly [P in keyof T & string]-?: string };
  /** Properties that may be absent; present, they are strings like the others. */
  readonly optional?: readonly (keyof T & string)[];
  /** The constant of a callback's `used_type`; absent for the service's endpoints. */
  readonly usedType?: '1' | '2';
}

/** The key-exchange callback's request (section 4.1.1). */
export interface KeyExchangeRequest {
  readonly clientId: string;
  readonly ptnCd: string;
  /** Base64 of an X.509 SubjectPublicKeyInfo (section 2.2). */
  readonly publicKey: string;
}

/** What the application returns (section 4.1.1). */
export interface KeyExchangeResult {
  /** Base64 of the per-user key, wrapped by RSAES-PKCS1-v1_5 (section 2.2); not decoded here. */
  readonly encPartnerKey: string;
}

/** The registration-complete callback's request (section 4.1.2). */
export interface RegistrationRequest {
  readonly clientId: string;
  readonly ptnCd: string;
  /** The Super Passcode, encrypted with the per-user key. */
  readonly partnerSp: string;
  /** The user information, encrypted with the per-user key. */
  readonly ubifill?: string;
}

/** The response carries `code` and `message` alone. */
export type RegistrationResult = Readonly<Record<string, never>>;

/** The application's call to {auth_url} (section 4.2); the secret key is sent in bodies alone (section 2.1). */
type CallRequest<Token extends string> = Readonly<Record<'clientId' | 'secretKey' | Token, string>>;

/** What the service returns for a `ptn_token` (section 4.2.1). */
export interface TokenResult {
  readonly acsToken: string;
  /** A real date and time as 14 digits, yyyyMMddHH24miss; its time zone is open. */
  readonly expireDt: string;
  readonly ptnCd: string;
}

/** What the service returns for an `acs_token` (section 4.2.2). */
export interface AuthenticateResult {
  /** The Super Passcode, encrypted with the per-user key, in Base64 or hexadecimal. */
  readonly ptnSp: string;
}

/** The messages of each operation, bytes to values and back. */
export const operations = {
  'key-exchange': defineOperation<KeyExchangeRequest, KeyExchangeResult>(
    {
      usedType: '1',
      fields: { clientId: 'client_id', ptnCd: 'ptn_cd', publicKey: 'public_key' },
    },
    {
      encPartnerKey: {
        name: 'enc_partner_key',
        otherNames: [
          ...['enc_key', 'encryptedKey', 'encrypted_partner_key', 'partner_key', 'enc_ptn_key'],
          ...['enc_user_key', 'wrapped_key', 'user_key', 'key'],
        ],
      },
    },
  ),
  registration: defineOperation<RegistrationRequest, RegistrationResult>({
    usedType: '2',
    fields: { clientId: 'client_id', ptnCd: 'ptn_cd', partnerSp: 'partner_sp', ubifill: 'ubifill' },
    optional: ['ubifill'],
  }),
  token: defineOperation<CallRequest<'ptnToken'>, TokenResult>(
    { fields: { clientId: 'client_id', secretKey: 'secret_key', ptnToken: 'ptn_token' } },
    {
      acsToken: {
        name: 'acs_token',
        otherNames: ['access_token', 'accessToken', 'acsTkn', 'token'],
        malformed: emptyText('an access token'),
      },
      expireDt: {
        name: 'expire_dt',
        otherNames: 'expire_date expireDtm expires expires_at expires_in expiry exp'.split(' '),
        malformed: noDate,
      },
      ptnCd: {
        name: 'ptn_cd',
        otherNames: ['ptn_code', 'partner_cd', 'partner_code', 'user_cd', 'user_code'],
        malformed: emptyText('the application user code'),
      },
    },
  ),
  authenticate: defineOperation<CallRequest<'acsToken'>, AuthenticateResult>(
    { fields: { clientId: 'client_id', secretKey: 'secret_key', acsToken: 'acs_token' } },
    {
      ptnSp: {
        name: 'ptn_sp',
        otherNames: ['partner_sp', 'super_passcode', 'ptn_super_passcode', 'passcode', 'sp'],
        malformed: noPayload,
      },
    },
  ),
} as const;

function noDate(text: string) {
  if (parseExpireDt(text) !== undefined) return undefined;
  const digits = /^\d{14}$/.test(text) ? '14 digits that are not a date' : undefined;
  return { expected: expireDtFormat, observed: digits ?? `${text.length} characters` };
}

function emptyText(expected: string) {
  return (text: string) => (text === '' ? { expected, observed: 'an empty string' } : undefined);
}

/** A service that forgets to encrypt sends the passcode itself: only lengths and places are reported. */
function noPayload(text: string) {
  const expected = 'an encrypted value in Base64 or hexadecimal';
  const digits = text.replace(/\s+/g, '');
  if (digits === '') return { expected, observed: 'an empty string' };
  if (decodeHex(digits) || decodeBase64Lenient(digits)) return undefined;
  const place = digits.search(/[^A-Za-z0-9+/=_-]/);
  const where = place === -1 ? 'a length that neither has' : 'characters that neither has';
  return { expected, observed: `${text.length} characters with ${where}` };
}

/** Either callback; both come to one URL and `used_type` distinguishes them (section 4.1). */
export type CallbackRequest =
  | (KeyExchangeRequest & { readonly usedType: '1' })
  | (RegistrationRequest & { readonly usedType: '2' });

/**
 * Reads a request to the callback URL as the callback of its `used_type`; never throws. What was read of the latest
 * bodies is kept.
 */
export const parseCallbackRequest = keepingLatest(
  8,
  (body: Uint8Array): RequestReading<CallbackRequest> => {
    const object = parseRequestObject(body);
    const usedType = object.ok ? object.value.used_type : undefined;
    if (usedType === '2') return tagged('2', operations.registration.parseRequest(body));
    const reading = tagged('1', operations['key-exchange'].parseRequest(body));
    if (reading.ok || reading.field !== 'used_type' || typeof usedType !== 'string') return reading;
    return { ...reading, problem: 'The field "used_type" must be "1" or "2".' };
  },
);

function tagged<T extends object, U extends '1' | '2'>(
  usedType: U,
  reading: RequestReading<T>,
): RequestReading<T & { readonly usedType: U }> {
  return reading.ok ? { ...reading, value: { usedType, ...reading.value } } : reading;
}

/** Without `result` (registration complete) `result` is neither written nor read. */
function defineOperation<Request extends object, Result extends object>(
  shape: RequestShape<Request>,
  result?: ResultFields<Result>,
) {
  const names = Object.entries<{ readonly name: string }>(result ?? {});
  const toWire = (values: JsonObject) =>
    Object.fromEntries(names.map(([property, { name }]) => [name, values[property]]));
  return {
    /** The names on the wire. */
    requestFields: requestFieldsOf(shape),
    resultFields: names.map(([, { name }]) => name),
    /** The body of a request, its fields in the order of section 4. */
    encodeRequest: (request: Request) => encodeRequest(request, shape),
    /** Reads a request, payloads still encrypted and keys not yet read; never throws. */
    parseRequest: (body: Uint8Array) => parseRequest(body, shape),
    /** The body of a response with "0000" and the result. */
    encodeResponse: (values: Result) => {
      const written = result && toWire(values as JsonObject);
      return encodeUtf8(JSON.stringify({ code: successCode, message: '', result: written }));
    },
    /** Reads a response by the section of the operation; never throws. */
    readResponse: (body: Uint8Array) => readResponse(body, result),
  };
}

function requestFieldsOf<T>({ fields, usedType }: RequestShape<T>): readonly string[] {
  return [...Object.values<string>(fields), ...(usedType ? ['used_type'] : [])];
}

/**
 * The JSON of a request, its fields in the order of section 4: `client_id`, then the callback's
 * `used_type`, then the rest; fields that are undefined are left out.
 */
function encodeRequest<T extends object>(request: T, shape: RequestShape<T>): Uint8Array {
  const json: Record<string, unknown> = {};
  for (const [property, name] of Object.entries<string>(shape.fields)) {
    json[name] = ownProperty(request as JsonObject, property);
    json.used_type = shape.usedType; // keeps its place behind the first field
  }
  return encodeUtf8(JSON.stringify(json));
}

/** Reads a body as a JSON object: UTF-8, no byte order mark, no name twice. Never throws. */
export function parseRequestObject(body: Uint8Array): RequestReading<JsonObject> {
  const reading = readJson(body);
  if (!reading.ok) return { ok: false, problem: `The body is not JSON: ${whatItIs(reading)}.` };
  const { value: json, duplicateNames, byteOrderMark } = reading;
  if (byteOrderMark) return refuse('The body begins with a byte order mark.', undefined, json);
  if (!isJsonObject(json)) {
    return refuse(`The body is JSON, but not an object: ${jsonTypeOf(json)}.`, undefined, json);
  }
  const [twice] = [...duplicateNames];
  if (twice !== undefined) return refuse(`The field "${twice}" occurs twice.`, twice, json);
  return { ok: true, value: json, unknownFields: {} };
}

/** Reads the request of one operation: a JSON object of strings, none of them empty. Never throws. */
function parseRequest<T extends object>(
  body: Uint8Array,
  shape: RequestShape<T>,
): RequestReading<T> {
  const { usedType, fields, optional = [] } = shape;
  const object = parseRequestObject(body);
  if (!object.ok) return object;
  const json = object.value;
  if (usedType !== undefined) {
    const isOther = json.used_type !== usedType;
    const wrong = isOther ? `The field "used_type" must be "${usedType}".` : undefined;
    const problem = problemOf(json, 'used_type', false) ?? wrong;
    if (problem !== undefined) return refuse(problem, 'used_type', json);
  }
  const names = Object.entries<string>(fields);
  for (const [property, name] of names) {
    const problem = problemOf(
      json,
      name,
      optional.some((each) => each === property),
    );
    if (problem !== undefined) return refuse(problem, name, json);
  }
  const present = names.filter(([, name]) => ownProperty(json, name) !== undefined);
  // Every field was just seen to be a string, or absent and optional: this is a T.
  const value = Object.fromEntries(present.map(([property, name]) => [property, json[name]])) as T;
  return { ok: true, value, unknownFields: otherProperties(json, requestFieldsOf(shape)) };
}

function problemOf(json: JsonObject, name: string, optional: boolean): string | undefined {
  const value = ownProperty(json, name);
  if (value === undefined) return optional ? undefined : `The field "${name}" is missing.`;
  if (typeof value !== 'string') {
    return `The field "${name}" must be a string, and is of type ${jsonTypeOf(value)}.`;
  }
  return value === '' ? `The field "${name}" is empty.` : undefined;
}

function refuse<T>(problem: string, field: string | undefined, json: unknown): RequestReading<T> {
  return { ok: false, problem, field, json };
}

function whatItIs(reading: Extract<JsonReading, { ok: false }>): string {
  if (reading.reason === 'empty') return 'it is empty';
  if (!('place' in reading)) return `${reading.reason} (${reading.detail})`;
  return `${reading.reason} at line ${reading.place.line}, column ${reading.place.column}`;
}
