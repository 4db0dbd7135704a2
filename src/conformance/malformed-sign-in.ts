import { encodeBase64, encodeBase64Url, encodeUtf8, type RandomBytes } from '../bytes.ts';
import type { WireRequest } from '../client/exchange.ts';
import { swapCase } from '../text.ts';
import {
  cut,
  encodeBody,
  fieldsOf,
  foreignClient,
  type Mutate,
  type Mutation,
  mutationOf,
  omit,
  set,
  unchanged,
} from './malformed.ts';

interface SignInMutation extends Mutation {
  /** Puts the secret, which `body` removed, elsewhere. */
  readonly place?: Place;
}

type Place = (request: WireRequest, secretKey: string) => WireRequest;

const wrongSecret = 'authcli-wrong-secret-key';

const randomToken =
  (name: string): Mutate =>
  (fields, randomBytes) => ({ ...fields, [name]: encodeBase64Url(randomBytes(32)) });

const token = mutationOf('token', 'a token request');
const authenticate = mutationOf('authenticate', 'an authenticate request');

const inQuery: Place = (request, secretKey) => {
  const url = new URL(request.url);
  url.searchParams.set('secret_key', secretKey);
  return { ...request, url };
};
const inBasic: Place = (request, secretKey) => {
  const credentials = `${String(fieldsOf(request).client_id)}:${secretKey}`;
  return withHeader('Authorization', `Basic ${encodeBase64(encodeUtf8(credentials))}`)(request);
};

/** Without the secret in the body. */
const outsideMutations = {
  'secret-in-header': outside(token, 'in a header secret_key', header('secret_key')),
  'secret-in-header-hyphen': outside(token, 'in a header Secret-Key', header('Secret-Key')),
  'secret-in-header-x': outside(token, 'in a header X-Secret-Key', header('X-Secret-Key')),
  'secret-in-header-api-key': outside(token, 'in a header X-Api-Key', header('X-Api-Key')),
  'secret-in-cookie': outside(token, 'in a cookie', header('Cookie', 'secret_key=')),
  'secret-in-bearer': outside(token, 'as a bearer token', header('Authorization', 'Bearer ')),
  'secret-in-basic': outside(token, 'in an Authorization header', inBasic),
  'secret-in-query': outside(token, 'in the query', inQuery),
  'authenticate-secret-in-header': outside(
    authenticate,
    'in a header secret_key',
    header('secret_key'),
  ),
  'authenticate-secret-in-basic': outside(authenticate, 'in an Authorization header', inBasic),
  'authenticate-secret-in-query': outside(authenticate, 'in the query', inQuery),
} as const satisfies Readonly<Record<string, SignInMutation>>;

type OutsideName = keyof typeof outsideMutations;

/** Those whose secret is sent as it is, which only printable ASCII can be (RFC 9110 section 5.5). */
export const plainHeaderNames: ReadonlySet<OutsideName> = new Set<OutsideName>([
  'secret-in-header',
  'secret-in-header-hyphen',
  'secret-in-header-x',
  'secret-in-header-api-key',
  'secret-in-cookie',
  'secret-in-bearer',
  'authenticate-secret-in-header',
]);

export const outsideNames = Object.keys(outsideMutations) as readonly OutsideName[];

/** Values that a caller without the right one can send, and that a loose comparison accepts. */
const nearValues = {
  shorter: ['without its last character', (right: string) => right.slice(0, -1)],
  longer: ['with one character more', (right: string) => `${right}0`],
  'other-case': ['with upper and lower case swapped', swapCase],
  empty: ['as an empty string', () => ''],
  null: ['as null', () => null],
  zero: ['as the number 0', () => 0],
  true: ['as true', () => true],
  object: ['as an object, the condition "not empty" of a database', () => ({ $ne: '' })],
} as const;

/** The right value in another form. */
const otherForms = {
  space: ['with white space around it', (right: string) => ` ${right}\n`],
  array: ['in an array', (right: string) => [right]],
} as const;

const fieldsOfNear = {
  'token-secret': [token, 'secret_key'],
  'token-client': [token, 'client_id'],
  'ptn-token': [token, 'ptn_token'],
  'authenticate-secret': [authenticate, 'secret_key'],
  'authenticate-client': [authenticate, 'client_id'],
  'acs-token': [authenticate, 'acs_token'],
} as const;

type NearField = keyof typeof fieldsOfNear;
type Values = Readonly<Record<string, readonly [about: string, of: (right: string) => unknown]>>;
type Near<V> = `${NearField}-${keyof V & string}`;

function nearOf<V extends Values>(values: V): Readonly<Record<Near<V>, SignInMutation>> {
  const entries = Object.entries(fieldsOfNear).flatMap(([prefix, [operation, field]]) =>
    Object.entries(values).map(([name, [about, of]]) => [
      `${prefix}-${name}`,
      operation(`with ${field} ${about}`, (fields) => ({
        ...fields,
        [field]: of(String(fields[field])),
      })),
    ]),
  );
  return Object.fromEntries(entries);
}

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
  'authenticate-secret-missing': authenticate('without secret_key', omit('secret_key')),
  'authenticate-client-foreign': authenticate(
    'with the client_id of another application',
    set('client_id', foreignClient),
  ),
  'authenticate-client-missing': authenticate('without client_id', omit('client_id')),
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
  'acs-token-in-parallel': authenticate(
    'with an acs_token that other requests send at the same time',
    unchanged,
  ),
  'acs-token-expired': authenticate('with an acs_token after its expire_dt', unchanged),
  'ptn-token-foreign': token('with a ptn_token of another client', unchanged),
  'acs-token-as-ptn-token': token('with an acs_token as ptn_token', unchanged),
  'ptn-token-as-acs-token': authenticate('with a ptn_token as acs_token', unchanged),
  ...outsideMutations,
  ...nearOf(nearValues),
  ...nearOf(otherForms),
} as const satisfies Readonly<Record<string, SignInMutation>>;

export type MalformedSignInName = keyof typeof signInMutations;

export const malformedSignInNames = Object.keys(signInMutations) as readonly MalformedSignInName[];

/** The near values of a field, or its other forms. */
export function nearNames(field: NearField): readonly MalformedSignInName[] {
  return Object.keys(nearValues).map((name) => `${field}-${name}` as Near<typeof nearValues>);
}

export function otherFormNames(field: NearField): readonly MalformedSignInName[] {
  return Object.keys(otherForms).map((name) => `${field}-${name}` as Near<typeof otherForms>);
}

export interface MalformedSignIn {
  readonly name: MalformedSignInName;
  readonly operation: 'token' | 'authenticate';
  /** "a token request without ptn_token" */
  readonly about: string;
  readonly request: WireRequest;
}

/** Mutates a valid token or authenticate request. */
export function malformSignIn(
  name: MalformedSignInName,
  valid: WireRequest,
  randomBytes: RandomBytes,
): MalformedSignIn {
  const { operation, about, body, place }: SignInMutation = signInMutations[name];
  const fields = fieldsOf(valid);
  const request = { ...valid, body: encodeBody(body(fields, randomBytes)) };
  const placed = place === undefined ? request : place(request, String(fields.secret_key));
  return { name, operation: operation as MalformedSignIn['operation'], about, request: placed };
}

function outside(operation: typeof token, where: string, place: Place): SignInMutation {
  const about = `with the secret_key ${where} and not in the body`;
  return { ...operation(about, omit('secret_key')), place };
}

function header(name: string, prefix = ''): Place {
  return (request, secretKey) => withHeader(name, prefix + secretKey)(request);
}

function withHeader(name: string, value: string): (request: WireRequest) => WireRequest {
  return (request) => ({ ...request, headers: [...request.headers, [name, value]] });
}
