import { encodeBase64, encodeUtf8 } from '../bytes.ts';
import { editFields } from '../client/call.ts';
import type { WireRequest } from '../client/exchange.ts';
import type { MalformedPart } from '../diagnosis/accepted-input.ts';
import type { JsonObject } from '../protocol/json.ts';

/** What the request is, after "a key exchange" or "a registration", and what is changed in a valid one. */
type Row = readonly [about: string, edit: (fields: JsonObject) => JsonObject | string];

// No character is in Base64: lenient decoders get nothing.
const notBase64 = '!?*~!?*~'.repeat(49);
const textAsBase64 = encodeBase64(encodeUtf8('This is text, not a key. '.repeat(12)));

const omit =
  (name: string): Row[1] =>
  ({ [name]: _, ...others }) =>
    others;
const set =
  (name: string, value: unknown): Row[1] =>
  (fields) => ({ ...fields, [name]: value });
const cut: Row[1] = (fields) => set('public_key', String(fields.public_key).slice(0, 196))(fields);
const unchanged: Row[1] = (fields) => fields;

const exchanges = {
  'missing-ptn-cd': ['without ptn_cd', omit('ptn_cd')],
  'missing-public-key': ['without public_key', omit('public_key')],
  'public-key-no-base64': ['with a public_key that is not Base64', set('public_key', notBase64)],
  'public-key-no-key': [
    'with a public_key that is Base64 of text',
    set('public_key', textAsBase64),
  ],
  'public-key-truncated': ['with a truncated public_key', cut],
  'client-id-foreign': [
    'with the client_id of another application',
    set('client_id', 'authcli-nobodys-client'),
  ],
  'client-id-missing': ['without client_id', omit('client_id')],
  'used-type-3': ['with used_type "3"', set('used_type', '3')],
  'used-type-missing': ['without used_type', omit('used_type')],
  'used-type-number': ['with used_type as the number 1', set('used_type', 1)],
  'json-cut': ['with truncated JSON', (fields) => JSON.stringify(fields).slice(0, 60)],
  'json-none': ['whose body is a word', () => 'nonsense'],
  'json-empty': ['without a body', () => ''],
  'json-array': ['whose body is an array', () => '[]'],
} as const satisfies Readonly<Record<string, Row>>;

const registrations = {
  'missing-partner-sp': ['without partner_sp', omit('partner_sp')],
  // Malformed by what is passed to `malform`: the payload, or the request of an unknown user.
  'undecryptable-partner-sp': ["with a partner_sp that its key can't decrypt", unchanged],
  'unknown-user': ['for a user who never exchanged a key', unchanged],
} as const satisfies Readonly<Record<string, Row>>;

const rows = { ...exchanges, ...registrations };

export type MalformedName = keyof typeof rows;

export const malformedNames = Object.keys(rows) as readonly MalformedName[];

/** Mutates a valid callback; `fields` replace some of its own first. */
export function malform(name: MalformedName, valid: WireRequest, fields: JsonObject = {}) {
  const [, edit]: Row = rows[name];
  return editFields(valid, (right) => edit({ ...right, ...fields }));
}

/** What of the request is malformed, and whether it is missing. */
export function malformedPart(name: MalformedName): readonly [MalformedPart, boolean] {
  const [, field = 'body'] =
    /(ptn-cd|public-key|partner-sp|client-id|used-type|user)/.exec(name) ?? [];
  return [field.replace('-', '_') as MalformedPart, name.includes('missing')];
}

export function isMalformedName(name: string): name is MalformedName {
  return Object.hasOwn(rows, name);
}

/** What the malformed request is, as in "a key exchange without ptn_cd". */
export function aboutMalformed(name: MalformedName): string {
  return `a ${operationOf(name).replace('-', ' ')} ${rows[name][0]}`;
}

export function operationOf(name: MalformedName): 'key-exchange' | 'registration' {
  return name in exchanges ? 'key-exchange' : 'registration';
}

/** Adds a field that the interface doesn't define, which must be ignored. */
export function withUnknownField(valid: WireRequest): WireRequest {
  return editFields(valid, (fields) => ({ ...fields, authcli_unknown_field: 'to be ignored' }));
}
