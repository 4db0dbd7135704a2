import { decodeUtf8 } from '../bytes.ts';
import { type Cipher, formatCipher } from '../crypto/cipher.ts';
import { readPublicKey } from '../crypto/key-reading.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import type { Secret } from '../crypto/secret.ts';
import { AuthcliError } from '../errors.ts';
import { expiresAt } from '../protocol/expiry.ts';
import { ownProperty } from '../text.ts';
import { jsonOf } from '../traffic/capture.ts';

export interface Encoded {
  readonly request: Uint8Array;
  readonly response: Uint8Array;
  readonly key?: Secret;
  readonly cipher: Cipher;
  /** Of `expire_dt`. */
  readonly timeZone?: string;
}

export interface DecodedField {
  readonly part: 'request' | 'response';
  readonly field: string;
  readonly title: string;
  /** Null if it can't be read. */
  readonly value: string | null;
  readonly isSecret: boolean;
  /** Shown beside it; not secret. */
  readonly note?: string;
}

type Reading = Pick<DecodedField, 'value' | 'isSecret' | 'note'>;

interface KnownField extends Pick<DecodedField, 'part' | 'field' | 'title'> {
  readonly read: (text: string, encoded: Encoded) => Reading;
}

/** The fields whose values need decoding or are secret, in the order of an exchange. */
const knownFields: readonly KnownField[] = [
  { part: 'request', field: 'public_key', title: 'Public key', read: publicKey },
  { part: 'request', field: 'partner_sp', title: 'Super Passcode', read: payload },
  { part: 'request', field: 'ubifill', title: 'User information', read: payload },
  { part: 'request', field: 'secret_key', title: 'Server secret key', read: secret },
  { part: 'request', field: 'ptn_token', title: 'Authentication token', read: secret },
  { part: 'request', field: 'acs_token', title: 'Access token', read: secret },
  { part: 'response', field: 'enc_partner_key', title: 'Per-user key', read: perUserKey },
  { part: 'response', field: 'acs_token', title: 'Access token', read: secret },
  { part: 'response', field: 'expire_dt', title: 'Expiry', read: expiry },
  { part: 'response', field: 'ptn_sp', title: 'Super Passcode', read: payload },
];

/** The fields of an exchange, decoded as far as possible. Never throws, whatever the bodies are. */
export function decodeExchange(encoded: Encoded): readonly DecodedField[] {
  const request = jsonOf({ body: encoded.request });
  const { result } = jsonOf({ body: encoded.response });
  return knownFields.flatMap(({ read, ...known }) => {
    const text = ownProperty(known.part === 'request' ? request : Object(result), known.field);
    return typeof text === 'string' && text !== '' ? [{ ...known, ...read(text, encoded) }] : [];
  });
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
  if (key === undefined) return unreadable('it could not be read');
  const { value, note } = secret(key.reveal());
  return { value, isSecret: true, note: `${note}, ${key}` };
}

function payload(text: string, { key, cipher }: Encoded): Reading {
  if (key === undefined) return unreadable('no key is known for it');
  const result = decryptPayload(text, key.reveal(), cipher);
  const value = result.ok ? decodeUtf8(result.plaintext) : undefined;
  return value === undefined
    ? unreadable(`it can't be decrypted with ${formatCipher(cipher)}`)
    : secret(value);
}

function expiry(text: string, { timeZone }: Encoded): Reading {
  const at = expiresAt(text, timeZone);
  return at === null
    ? { value: text, isSecret: false, note: 'no time zone is set' }
    : { value: at, isSecret: false };
}

function secret(text: string): Reading {
  return { value: text, isSecret: true, note: `${[...text].length} characters` };
}

function unreadable(note: string): Reading {
  return { value: null, isSecret: true, note };
}
