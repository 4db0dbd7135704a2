import { encodeBase64, encodeBase64Url, encodeUtf8, type RandomBytes } from '../bytes.ts';
import type { WireRequest } from '../client/exchange.ts';
import { fieldsOf, type MalformedRequest, without } from './malformed.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One way to spoil a right request to the service. */
interface Spoiling {
  readonly operation: 'token' | 'authenticate';
  /** What the request is, in words that go on after "for": "a token request without ptn_token". */
  readonly about: string;
  readonly body?: (right: Fields, randomBytes: RandomBytes) => Fields;
  /** Puts the secret that `body` took away elsewhere. */
  readonly place?: (request: WireRequest, secretKey: string) => WireRequest;
}

const wrongSecret = 'authcli-wrong-secret-key';
const nobody = 'authcli-nobodys-client';

/** Every request to the service that is wrong on purpose, by name; each is a right one spoilt in one place. */
const spoilings = {
  'token-secret-wrong': token('with a wrong secret_key', (right) => ({
    ...right,
    secret_key: wrongSecret,
  })),
  'token-secret-missing': token('without secret_key', (right) => without(right, 'secret_key')),
  'token-client-foreign': token('with the client_id of somebody else', (right) => ({
    ...right,
    client_id: nobody,
  })),
  'token-client-missing': token('without client_id', (right) => without(right, 'client_id')),
  'authenticate-secret-wrong': authenticate('with a wrong secret_key', (right) => ({
    ...right,
    secret_key: wrongSecret,
  })),
  'secret-in-header': outside('in a header secret_key', (request, secretKey) =>
    withHeader(request, 'secret_key', secretKey),
  ),
  'secret-in-basic': outside('in an Authorization header', (request, secretKey) => {
    const credentials = `${String(fieldsOf(request).client_id)}:${secretKey}`;
    return withHeader(request, 'Authorization', `Basic ${encodeBase64(encodeUtf8(credentials))}`);
  }),
  'secret-in-query': outside('in the query', (request, secretKey) => {
    const url = new URL(request.url);
    url.searchParams.set('secret_key', secretKey);
    return { ...request, url };
  }),
  'ptn-token-invented': token(
    'with a ptn_token that was never given out',
    (right, randomBytes) => ({
      ...right,
      ptn_token: invented(randomBytes),
    }),
  ),
  'ptn-token-cut': token('with a ptn_token that is cut in the middle', (right) => ({
    ...right,
    ptn_token: String(right.ptn_token).slice(0, String(right.ptn_token).length >> 1),
  })),
  'ptn-token-missing': token('without ptn_token', (right) => without(right, 'ptn_token')),
  'acs-token-invented': authenticate(
    'with an acs_token that was never given out',
    (right, randomBytes) => ({ ...right, acs_token: invented(randomBytes) }),
  ),
  'acs-token-missing': authenticate('without acs_token', (right) => without(right, 'acs_token')),
  'acs-token-used': authenticate('with an acs_token that was used before'),
  'acs-token-expired': authenticate('with an acs_token after its expire_dt'),
} as const satisfies Readonly<Record<string, Spoiling>>;

export type MalformedSignInName = keyof typeof spoilings;

export const malformedSignInNames = Object.keys(spoilings) as readonly MalformedSignInName[];

/** A request to the service that is wrong on purpose. */
export interface MalformedSignIn extends Pick<MalformedRequest, 'about' | 'request'> {
  readonly name: MalformedSignInName;
  readonly operation: Spoiling['operation'];
}

/**
 * Spoils a right request. `acs-token-used` and `acs-token-expired` are wrong by the token: they
 * take the request with such a one.
 */
export function malformSignIn(
  name: MalformedSignInName,
  right: WireRequest,
  randomBytes: RandomBytes,
): MalformedSignIn {
  const { operation, about, body: spoil, place } = spoilings[name] as Spoiling;
  const fields = fieldsOf(right);
  const spoilt = spoil === undefined ? fields : spoil(fields, randomBytes);
  const request = { ...right, body: encodeUtf8(JSON.stringify(spoilt)) };
  const placed = place === undefined ? request : place(request, String(fields.secret_key));
  return { name, operation, about, request: placed };
}

function invented(randomBytes: RandomBytes): string {
  return encodeBase64Url(randomBytes(32));
}

function withHeader(request: WireRequest, name: string, value: string): WireRequest {
  return { ...request, headers: [...request.headers, [name, value]] };
}

function token(about: string, body: Spoiling['body']): Spoiling {
  return { operation: 'token', about: `a token request ${about}`, body };
}

function authenticate(about: string, body?: Spoiling['body']): Spoiling {
  return { operation: 'authenticate', about: `an authenticate request ${about}`, body };
}

function outside(where: string, place: Spoiling['place']): Spoiling {
  const about = `a token request with the secret_key ${where} and not in the body`;
  return { operation: 'token', about, body: (right) => without(right, 'secret_key'), place };
}
