import { encodeBase64, encodeBase64Url, encodeUtf8, type RandomBytes } from '../bytes.ts';
import type { WireRequest } from '../client/exchange.ts';
import { isJsonObject, type JsonObject, readJson } from '../protocol/json.ts';

type Operation = 'key-exchange' | 'registration' | 'token' | 'authenticate';

type Mutate = (fields: JsonObject, randomBytes: RandomBytes) => JsonObject | string;

interface Mutation {
  readonly operation: Operation;
  /** "a key exchange without ptn_cd" */
  readonly about: string;
  readonly body: Mutate;
  /** Puts the secret, which `body` removed, elsewhere. */
  readonly place?: (request: WireRequest, secretKey: string) => WireRequest;
}

type Mutations = Readonly<Record<string, Mutation>>;

// No character is in Base64: lenient decoders get nothing.
const notBase64 = '!?*~!?*~'.repeat(49);
const textAsBase64 = encodeBase64(encodeUtf8('This is text, not a key. '.repeat(12)));
const foreignClient = 'authcli-nobodys-client';
const wrongSecret = 'authcli-wrong-secret-key';

const omit =
  (name: string): Mutate =>
  ({ [name]: _, ...others }) =>
    others;
const set =
  (name: string, value: unknown): Mutate =>
  (fields) => ({ ...fields, [name]: value });
const cut =
  (name: string, end: (text: string) => number): Mutate =>
  (fields) => {
    const text = String(fields[name]);
    return { ...fields, [name]: text.slice(0, end(text)) };
  };
const randomToken =
  (name: string): Mutate =>
  (fields, randomBytes) => ({ ...fields, [name]: encodeBase64Url(randomBytes(32)) });
const unchanged: Mutate = (fields) => fields;

const exchange = mutationOf('key-exchange', 'a key exchange');
const registration = mutationOf('registration', 'a registration');
const token = mutationOf('token', 'a token request');
const authenticate = mutationOf('authenticate', 'an authenticate request');

function mutationOf(operation: Operation, what: string) {
  return (about: string, body: Mutate): Mutation => ({
    operation,
    about: `${what} ${about}`,
    body,
  });
}

function secretOutside(where: string, place: Mutation['place']): Mutation {
  const about = `with the secret_key ${where} and not in the body`;
  return { ...token(about, omit('secret_key')), place };
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

/** The malformed requests to the service. */
const signInMutations = {
  'token-secret-wrong': token('with a wrong secret_key', set('secret_key', wrongSecret)),
  'token-secret-missing': token('without secret_key', omit('secret_key')),
  'token-client-foreign': token(
    'with the client_id of another application',
    set('client_id', foreignClient),
  ),
  'token-client-missing': token('without client_id', omit('client_id')),
  'authenticate-secret-wrong': authenticate(
    'with a wrong secret_key',
    set('secret_key', wrongSecret),
  ),
  'secret-in-header': secretOutside('in a header secret_key', (request, secretKey) =>
    withHeader(request, 'secret_key', secretKey),
  ),
  'secret-in-basic': secretOutside('in an Authorization header', (request, secretKey) => {
    const credentials = `${String(fieldsOf(request).client_id)}:${secretKey}`;
    return withHeader(request, 'Authorization', `Basic ${encodeBase64(encodeUtf8(credentials))}`);
  }),
  'secret-in-query': secretOutside('in the query', (request, secretKey) => {
    const url = new URL(request.url);
    url.searchParams.set('secret_key', secretKey);
    return { ...request, url };
  }),
  'ptn-token-invented': token('with a ptn_token that was never issued', randomToken('ptn_token')),
  'ptn-token-cut': token(
    'with a truncated ptn_token',
    cut('ptn_token', (text) => text.length >> 1),
  ),
  'ptn-token-missing': token('without ptn_token', omit('ptn_token')),
  'acs-token-invented': authenticate(
    'with an acs_token that was never issued',
    randomToken('acs_token'),
  ),
  'acs-token-missing': authenticate('without acs_token', omit('acs_token')),
  // Malformed by the token of the request that is passed.
  'acs-token-used': authenticate('with an acs_token that was used before', unchanged),
  'acs-token-expired': authenticate('with an acs_token after its expire_dt', unchanged),
} as const satisfies Mutations;

export type MalformedName = keyof typeof callbackMutations;
export type MalformedSignInName = keyof typeof signInMutations;

export const malformedNames = Object.keys(callbackMutations) as readonly MalformedName[];
export const malformedSignInNames = Object.keys(signInMutations) as readonly MalformedSignInName[];

export interface MalformedRequest {
  readonly name: MalformedName;
  readonly operation: 'key-exchange' | 'registration';
  readonly about: string;
  readonly request: WireRequest;
}

export interface MalformedSignIn extends Pick<MalformedRequest, 'about' | 'request'> {
  readonly name: MalformedSignInName;
  readonly operation: 'token' | 'authenticate';
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

export function malformSignIn(
  name: MalformedSignInName,
  valid: WireRequest,
  randomBytes: RandomBytes,
): MalformedSignIn {
  const { operation, about, body, place }: Mutation = signInMutations[name];
  const fields = fieldsOf(valid);
  const request = { ...valid, body: encodeBody(body(fields, randomBytes)) };
  const placed = place === undefined ? request : place(request, String(fields.secret_key));
  return { name, operation: operation as MalformedSignIn['operation'], about, request: placed };
}

function encodeBody(body: JsonObject | string): Uint8Array {
  return encodeUtf8(typeof body === 'string' ? body : JSON.stringify(body));
}

export function operationOf(name: MalformedName): MalformedRequest['operation'] {
  return callbackMutations[name].operation as MalformedRequest['operation'];
}

/** Adds a field that the interface doesn't define, which must be ignored. */
export function withUnknownField(valid: WireRequest): WireRequest {
  const fields = { ...fieldsOf(valid), authcli_unknown_field: 'to be ignored' };
  return { ...valid, body: encodeBody(fields) };
}

function fieldsOf({ body }: WireRequest): JsonObject {
  const reading = readJson(body);
  if (!reading.ok || !isJsonObject(reading.value)) throw new TypeError('not a valid request');
  return reading.value;
}

function withHeader(request: WireRequest, name: string, value: string): WireRequest {
  return { ...request, headers: [...request.headers, [name, value]] };
}
