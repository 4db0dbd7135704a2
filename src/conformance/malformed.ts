import { encodeBase64, encodeUtf8, type RandomBytes } from '../bytes.ts';
import type { WireRequest } from '../client/exchange.ts';
import { isJsonObject, type JsonObject, readJson } from '../protocol/json.ts';

type Operation = 'key-exchange' | 'registration' | 'token' | 'authenticate';

export type Mutate = (fields: JsonObject, randomBytes: RandomBytes) => JsonObject | string;

export interface Mutation {
  readonly operation: Operation;
  /** "a key exchange without ptn_cd" */
  readonly about: string;
  readonly body: Mutate;
}

type Mutations = Readonly<Record<string, Mutation>>;

// No character is in Base64: lenient decoders get nothing.
const notBase64 = '!?*~!?*~'.repeat(49);
const textAsBase64 = encodeBase64(encodeUtf8('This is text, not a key. '.repeat(12)));
export const foreignClient = 'authcli-nobodys-client';

export const omit =
  (name: string): Mutate =>
  ({ [name]: _, ...others }) =>
    others;
export const set =
  (name: string, value: unknown): Mutate =>
  (fields) => ({ ...fields, [name]: value });
export const cut =
  (name: string, end: (text: string) => number): Mutate =>
  (fields) => {
    const text = String(fields[name]);
    return { ...fields, [name]: text.slice(0, end(text)) };
  };
export const unchanged: Mutate = (fields) => fields;

const exchange = mutationOf('key-exchange', 'a key exchange');
const registration = mutationOf('registration', 'a registration');

export function mutationOf(operation: Operation, what: string) {
  return (about: string, body: Mutate): Mutation => ({
    operation,
    about: `${what} ${about}`,
    body,
  });
}

/** The malformed callbacks, each a valid one mutated in one place. */
const callbackMutations = {
  'missing-ptn-cd': exchange('without ptn_cd', omit('ptn_cd')),
  'missing-public-key': exchange('without public_key', omit('public_key')),
  'public-key-no-base64': exchange(
    'with a public_key that is not Base64',
    set('public_key', notBase64),
  ),
  'public-key-no-key': exchange(
    'with a public_key that is Base64 of text',
    set('public_key', textAsBase64),
  ),
  'public-key-truncated': exchange(
    'with a truncated public_key',
    cut('public_key', () => 196),
  ),
  'client-id-foreign': exchange(
    'with the client_id of another application',
    set('client_id', foreignClient),
  ),
  'client-id-missing': exchange('without client_id', omit('client_id')),
  'used-type-3': exchange('with used_type "3"', set('used_type', '3')),
  'used-type-missing': exchange('without used_type', omit('used_type')),
  'used-type-number': exchange('with used_type as the number 1', set('used_type', 1)),
  'json-cut': exchange('with truncated JSON', (fields) => JSON.stringify(fields).slice(0, 60)),
  'json-none': exchange('whose body is a word', () => 'nonsense'),
  'json-empty': exchange('without a body', () => ''),
  'json-array': exchange('whose body is an array', () => '[]'),
  'missing-partner-sp': registration('without partner_sp', omit('partner_sp')),
  // Malformed by what is passed to `malform`: the payload, or the request of an unknown user.
  'undecryptable-partner-sp': registration(
    "with a partner_sp that its key can't decrypt",
    unchanged,
  ),
  'unknown-user': registration('for a user who never exchanged a key', unchanged),
} as const satisfies Mutations;

export type MalformedName = keyof typeof callbackMutations;

export const malformedNames = Object.keys(callbackMutations) as readonly MalformedName[];

export interface MalformedRequest {
  readonly name: MalformedName;
  readonly operation: 'key-exchange' | 'registration';
  readonly about: string;
  readonly request: WireRequest;
}

/** Mutates a valid callback; `fields` replace some of its own first. */
export function malform(
  name: MalformedName,
  valid: WireRequest,
  fields: JsonObject = {},
): MalformedRequest {
  const { about, body }: Mutation = callbackMutations[name];
  const mutated = body({ ...fieldsOf(valid), ...fields }, () => new Uint8Array());
  const request = { ...valid, body: encodeBody(mutated) };
  return { name, operation: operationOf(name), about, request };
}

export function encodeBody(body: JsonObject | string): Uint8Array {
  return encodeUtf8(typeof body === 'string' ? body : JSON.stringify(body));
}

export function isMalformedName(name: string): name is MalformedName {
  return Object.hasOwn(callbackMutations, name);
}

/** What the malformed request is, as in "a key exchange without ptn_cd". */
export function aboutMalformed(name: MalformedName): string {
  return callbackMutations[name].about;
}

export function operationOf(name: MalformedName): MalformedRequest['operation'] {
  return callbackMutations[name].operation as MalformedRequest['operation'];
}

/** Adds a field that the interface doesn't define, which must be ignored. */
export function withUnknownField(valid: WireRequest): WireRequest {
  const fields = { ...fieldsOf(valid), authcli_unknown_field: 'to be ignored' };
  return { ...valid, body: encodeBody(fields) };
}

export function fieldsOf({ body }: WireRequest): JsonObject {
  const reading = readJson(body);
  if (!reading.ok || !isJsonObject(reading.value)) throw new TypeError('not a valid request');
  return reading.value;
}
