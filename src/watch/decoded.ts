import { decodeUtf8 } from '../bytes.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import { readPublicKey } from '../crypto/public-key.ts';
import type { Secret } from '../crypto/secret.ts';
import { AuthcliError } from '../errors.ts';
import { expiresAt } from '../protocol/expiry.ts';
import { parseJsonText } from '../protocol/json.ts';
import { isJsonObject, ownProperty } from '../protocol/json-type.ts';

/** What is needed to look into an exchange. */
export interface Encoded {
  /** The bodies as they went over the wire. */
  readonly request: Uint8Array;
  readonly answer: Uint8Array;
  /** The per-user key, where it is known. */
  readonly key?: Secret;
  readonly cipher: Cipher;
  /** Of `expire_dt`. */
  readonly timeZone?: string;
}

/** One field of an exchange, and what it stands for. */
export interface DecodedField {
  readonly part: 'request' | 'answer';
  /** Its name on the wire. */
  readonly field: string;
  /** What it is, for people. */
  readonly title: string;
  /** What it holds; null where that can't be read. */
  readonly value: string | null;
  /** Whether `value` is a secret. */
  readonly isSecret: boolean;
  /** What may be shown beside it; no secret. */
  readonly note?: string;
}

type Reading = Pick<DecodedField, 'value' | 'isSecret' | 'note'>;
type Read = (text: string, encoded: Encoded) => Reading;

interface KnownField extends Pick<DecodedField, 'part' | 'field' | 'title'> {
  readonly read: Read;
}

/** The fields of the interface that don't say by themselves what they hold, in the order of an exchange. */
const knownFields: readonly KnownField[] = [
  { part: 'request', field: 'public_key', title: 'Public key', read: publicKey },
  { part: 'request', field: 'partner_sp', title: 'Super Passcode', read: payload },
  { part: 'request', field: 'ubifill', title: 'User information', read: payload },
  { part: 'request', field: 'secret_key', title: 'Server secret key', read: secret },
  { part: 'request', field: 'ptn_token', title: 'Authentication token', read: secret },
  { part: 'request', field: 'acs_token', title: 'Access token', read: secret },
  { part: 'answer', field: 'enc_partner_key', title: 'Per-user key', read: perUserKey },
  { part: 'answer', field: 'acs_token', title: 'Access token', read: secret },
  { part: 'answer', field: 'expire_dt', title: 'Expiry', read: expiry },
  { part: 'answer', field: 'ptn_sp', title: 'Super Passcode', read: payload },
];

/** What the fields of an exchange hold, as far as it can be read. Never throws, whatever the bodies are. */
export function decodeExchange(encoded: Encoded): readonly DecodedField[] {
  const request = objectIn(encoded.request);
  const result = objectOf(ownProperty(objectIn(encoded.answer), 'result'));
  return knownFields.flatMap(({ read, ...known }) => {
    const text = ownProperty(known.part === 'request' ? request : result, known.field);
    return typeof text === 'string' && text !== '' ? [{ ...known, ...read(text, encoded) }] : [];
  });
}

function objectIn(body: Uint8Array): Readonly<Record<string, unknown>> {
  return objectOf(parseJsonText(decodeUtf8(body) ?? ''));
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

function publicKey(text: string): Reading {
  try {
    const { key } = readPublicKey(text);
    return { value: `RSA, ${key.modulusBits} bits, ${key.fingerprint}`, isSecret: false };
  } catch (error) {
    if (!(error instanceof AuthcliError)) throw error;
    return { value: null, isSecret: false, note: error.message };
  }
}

function perUserKey(_: string, { key }: Encoded): Reading {
  return key === undefined
    ? { value: null, isSecret: true, note: 'it could not be read' }
    : {
        value: key.reveal(),
        isSecret: true,
        note: `${[...key.reveal()].length} characters, ${key}`,
      };
}

function payload(text: string, { key, cipher }: Encoded): Reading {
  if (key === undefined) return { value: null, isSecret: true, note: 'no key is known for it' };
  const result = decryptPayload(text, key.reveal(), cipher);
  const value = result.ok ? decodeUtf8(result.plaintext) : undefined;
  return value === undefined
    ? { value: null, isSecret: true, note: `it can't be read under ${formatCipher(cipher)}` }
    : { value, isSecret: true, note: `${[...value].length} characters` };
}

function expiry(text: string, { timeZone }: Encoded): Reading {
  const at = expiresAt(text, timeZone);
  return {
    value: at ?? text,
    isSecret: false,
    ...(at === null && { note: 'no time zone is set' }),
  };
}

function secret(text: string): Reading {
  return { value: text, isSecret: true, note: `${[...text].length} characters` };
}
