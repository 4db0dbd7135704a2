import { encodeUtf8 } from '../bytes.ts';
import { ownProperty } from '../text.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonReading,
  jsonTypeOf,
  otherProperties,
  readJson,
} from './json.ts';

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
export interface RequestShape<T> {
  /** The wire names, by the name of their property. */
  readonly fields: { readonly [P in keyof T & string]-?: string };
  /** Properties that may be absent; present, they are strings like the others. */
  readonly optional?: readonly (keyof T & string)[];
  /** The constant of a callback's `used_type`; absent for the service's endpoints. */
  readonly usedType?: '1' | '2';
}

/**
 * The JSON of a request, its fields in the order of section 4: `client_id`, then the callback's
 * `used_type`, then the rest; fields that are undefined are left out.
 */
export function encodeRequest<T extends object>(request: T, shape: RequestShape<T>): Uint8Array {
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

/** Reads the fields of one operation out of a request's object: strings, none of them empty. */
export function parseRequestFields<T extends object>(
  json: JsonObject,
  shape: RequestShape<T>,
): RequestReading<T> {
  const names = Object.entries<string>(shape.fields);
  const optional: readonly string[] = shape.optional ?? [];
  if (shape.usedType !== undefined) {
    const isOther = json.used_type !== shape.usedType;
    const wrong = isOther ? `The field "used_type" must be "${shape.usedType}".` : undefined;
    const problem = problemOf(json, 'used_type', false) ?? wrong;
    if (problem !== undefined) return refuse(problem, 'used_type', json);
  }
  for (const [property, name] of names) {
    const problem = problemOf(json, name, optional.includes(property));
    if (problem !== undefined) return refuse(problem, name, json);
  }
  const present = names.filter(([, name]) => ownProperty(json, name) !== undefined);
  // Every field was just seen to be a string, or absent and optional: this is a T.
  const value = Object.fromEntries(present.map(([property, name]) => [property, json[name]])) as T;
  const known = [...names.map(([, name]) => name), ...(shape.usedType ? ['used_type'] : [])];
  return { ok: true, value, unknownFields: otherProperties(json, known) };
}

export function parseRequest<T extends object>(
  body: Uint8Array,
  shape: RequestShape<T>,
): RequestReading<T> {
  const object = parseRequestObject(body);
  return object.ok ? parseRequestFields(object.value, shape) : object;
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
