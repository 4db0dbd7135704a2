import { decodeUtf8, encodeBase64, encodeUtf8 } from '../bytes.ts';
import type { WireRequest } from '../client/exchange.ts';
import { readJson } from '../protocol/json.ts';
import { isJsonObject, type JsonObject } from '../protocol/json-type.ts';

/** One way to spoil a right request. */
interface Spoiling {
  readonly operation: 'key-exchange' | 'registration';
  /** What the request is, in words that go on after "for": "a key exchange without ptn_cd". */
  readonly about: string;
  readonly body: (right: JsonObject) => JsonObject | string;
}

const noBase64 = '!?*~!?*~'.repeat(49);

/** Every request that is wrong on purpose, by name; each is a right request spoilt in one place. */
const spoilings = {
  'missing-ptn-cd': exchange('without ptn_cd', (right) => without(right, 'ptn_cd')),
  'missing-public-key': exchange('without public_key', (right) => without(right, 'public_key')),
  'public-key-no-base64': exchange('with a public_key that is no Base64', (right) => ({
    ...right,
    // No character of it belongs to Base64: decoders that skip what they don't know get nothing.
    public_key: noBase64,
  })),
  'public-key-no-key': exchange('with a public_key that is Base64 of a text', (right) => ({
    ...right,
    public_key: encodeBase64(encodeUtf8('This is a text and no key. '.repeat(10))),
  })),
  'public-key-truncated': exchange('with a public_key that is cut in the middle', (right) => ({
    ...right,
    public_key: String(right.public_key).slice(0, 196),
  })),
  'client-id-foreign': exchange('with the client_id of somebody else', (right) => ({
    ...right,
    client_id: 'authcli-nobodys-client',
  })),
  'client-id-missing': exchange('without client_id', (right) => without(right, 'client_id')),
  'used-type-3': exchange('with used_type "3"', (right) => ({ ...right, used_type: '3' })),
  'used-type-missing': exchange('without used_type', (right) => without(right, 'used_type')),
  'used-type-number': exchange('with used_type as the number 1', (right) => ({
    ...right,
    used_type: 1,
  })),
  'json-cut': exchange('whose JSON is cut in the middle', (right) =>
    JSON.stringify(right).slice(0, 60),
  ),
  'json-none': exchange('whose body is a word', () => 'nonsense'),
  'json-empty': exchange('without a body', () => ''),
  'json-array': exchange('whose body is an array', () => '[]'),
  'missing-partner-sp': registration('without partner_sp', (right) => without(right, 'partner_sp')),
  'undecryptable-partner-sp': registration(
    'with a partner_sp that its key can not decrypt',
    (right) => right,
  ),
  'unknown-user': registration('for a user who never exchanged a key', (right) => right),
} as const satisfies Readonly<Record<string, Spoiling>>;

export type MalformedName = keyof typeof spoilings;

export const malformedNames = Object.keys(spoilings) as readonly MalformedName[];

/** A request that is wrong on purpose. */
export interface MalformedRequest {
  readonly name: MalformedName;
  readonly operation: Spoiling['operation'];
  readonly about: string;
  readonly request: WireRequest;
  /** What it is, and the body as it is sent. */
  toString(): string;
}

/**
 * Spoils a right request. Two are wrong by their content: `undecryptable-partner-sp` takes it in
 * `fields`, `unknown-user` takes the request for such a user.
 */
export function malform(
  name: MalformedName,
  right: WireRequest,
  fields: JsonObject = {},
): MalformedRequest {
  const { operation, about, body: spoil } = spoilings[name] as Spoiling;
  const spoilt = spoil({ ...fieldsOf(right), ...fields });
  const body = encodeUtf8(typeof spoilt === 'string' ? spoilt : JSON.stringify(spoilt));
  return {
    name,
    operation,
    about,
    request: { ...right, body },
    toString: () => `${about}\n${decodeUtf8(body) ?? ''}`,
  };
}

/** The operation whose right request the malformed one is made of. */
export function operationOf(name: MalformedName): Spoiling['operation'] {
  return spoilings[name].operation;
}

/** The right request with a field that the interface doesn't know; not wrong, only unusual. */
export function withUnknownField(right: WireRequest): WireRequest {
  const fields = { ...fieldsOf(right), authcli_unknown_field: 'to be ignored' };
  return { ...right, body: encodeUtf8(JSON.stringify(fields)) };
}

/** The fields of a right request. */
export function fieldsOf({ body }: WireRequest): JsonObject {
  const reading = readJson(body);
  if (!reading.ok || !isJsonObject(reading.value)) throw new TypeError('not a right request');
  return reading.value;
}

/** The fields but one. */
export function without(fields: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
}

function exchange(about: string, body: Spoiling['body']): Spoiling {
  return { operation: 'key-exchange', about: `a key exchange ${about}`, body };
}

function registration(about: string, body: Spoiling['body']): Spoiling {
  return { operation: 'registration', about: `a registration ${about}`, body };
}
