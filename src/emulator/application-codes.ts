import type { CodeEntry } from './handling.ts';

/**
 * The codes of the reference application. The interface defines "0000" alone (section 7), so these
 * are its own; an application is free to have others. Refusals of the protocol come with HTTP 200,
 * because the body decides; only what isn't a call of the interface at all has another status.
 */
export const applicationCodes = {
  'not-json': {
    code: 'A101',
    meaning: 'The body is not a JSON object in UTF-8.',
    mend: 'Send one JSON object, encoded in UTF-8, without a byte order mark.',
    status: 200,
  },
  'field-missing': {
    code: 'A102',
    meaning: 'A required field is missing or empty.',
    mend: 'Send every required field of section 4.1.',
    status: 200,
  },
  'field-type': {
    code: 'A103',
    meaning: 'A field is not a string.',
    mend: 'Send every field as a JSON string: "1", not 1.',
    status: 200,
  },
  'used-type': {
    code: 'A104',
    meaning: 'used_type is neither "1" nor "2".',
    mend: 'Send "1" for the key exchange and "2" for registration complete.',
    status: 200,
  },
  'foreign-client': {
    code: 'A105',
    meaning: 'client_id is not the client id of this application.',
    mend: 'Send the client id that the application is set up with.',
    status: 200,
  },
  'public-key': {
    code: 'A106',
    meaning:
      'public_key is not Base64 of an X.509 SubjectPublicKeyInfo with an RSA key that can wrap the per-user key.',
    mend: 'Send Base64 (without line breaks) of the DER of the SubjectPublicKeyInfo.',
    status: 200,
  },
  'unknown-user': {
    code: 'A107',
    meaning: 'No key was exchanged for this ptn_cd.',
    mend: 'Send the key-exchange callback first, with the same ptn_cd.',
    status: 200,
  },
  undecryptable: {
    code: 'A108',
    meaning: 'partner_sp or ubifill can not be decrypted with the key of this ptn_cd.',
    mend: 'Encrypt with the key of the latest key exchange, under the cipher that both sides are set to.',
    status: 200,
  },
  method: {
    code: 'A901',
    meaning: 'The method is not POST.',
    mend: 'Send callbacks with POST.',
    status: 405,
  },
  'content-type': {
    code: 'A902',
    meaning: 'The Content-Type is not application/json;charset=utf-8.',
    mend: 'Send the header Content-type: application/json;charset=utf-8.',
    status: 415,
  },
  'body-too-large': {
    code: 'A903',
    meaning: 'The body is larger than the emulator takes.',
    mend: 'Send less.',
    status: 413,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type ApplicationRefusal = keyof typeof applicationCodes;
