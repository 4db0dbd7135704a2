import type { Explanation } from '../../reports/explanation.ts';
import { type Causes, causeTexts, testCommands, verify } from './tests.ts';

type FieldEntry = Pick<Explanation, 'title' | 'meaning' | 'fix' | 'section'> & {
  readonly causes: Causes;
};

const { probe, trace } = testCommands;
const keyExchange = testCommands['key-exchange'];
const dryRun = testCommands['dry-run'];
const tokenTrace = 'authcli signin --ptn-token TOKEN --trace';

const fields: Readonly<Record<string, FieldEntry>> = {
  client_id: {
    title: 'The Application Client ID',
    meaning: 'In every request. A callback with another client id is not for this application.',
    fix: 'Compare it exactly, and refuse any other.',
    section: '2.1',
    causes: [
      ['The application expects another id than authcli sends.', 'authcli config get client-id'],
      ['The application accepts every id.', verify('key-exchange/rejects-foreign-client')],
      ['The service refuses it together with secret_key.', tokenTrace],
    ],
  },
  secret_key: {
    title: 'The secret key of the application server',
    meaning: 'Only in requests to {auth_url}, in the JSON body, together with client_id (5.1).',
    fix: 'Send it from the server only, in the body, never in a URL, header or callback.',
    section: '5',
    causes: [
      ['It is not the key of this client_id.', tokenTrace],
      [
        'It is sent in a header or URL.',
        'authcli verify --check signin/secret-in-body-only --signin -- COMMAND',
      ],
      ['A reference such as env:NAME leads to another value.', 'authcli doctor'],
    ],
  },
  ptn_cd: {
    title: 'The application user code',
    meaning:
      'The code under which the application knows the user; keys and passcodes belong to it.',
    fix: 'Store and look up by the whole code, compared exactly.',
    section: '2.1',
    causes: [
      ['Codes are compared without case, trimmed or cut.', verify('protocol/exact-user-code')],
      [
        'The application knows only its own users.',
        'authcli simulate-signup --url URL --ptn-cd CODE',
      ],
      ['The keys of two users are mixed up.', verify('registration/key-of-that-user')],
    ],
  },
  used_type: {
    title: 'The kind of callback',
    meaning: '"1" is the key exchange and "2" is registration complete, both at the same URL.',
    fix: 'Branch on the strings "1" and "2", and refuse any other.',
    section: '2.1',
    causes: [
      ['It is compared with a number: it is a string.', trace],
      ['One handler expects the fields of both kinds.', keyExchange],
      ['An unknown value is accepted.', verify('protocol/rejects-unknown-used-type')],
    ],
  },
  public_key: {
    title: 'The RSA public key of a key exchange',
    meaning:
      'Base64 of a DER SubjectPublicKeyInfo, without PEM header lines. The application encrypts the per-user key with it.',
    fix: 'Decode the Base64 text and read the bytes as SubjectPublicKeyInfo, in each key exchange anew.',
    section: '2.2',
    causes: [
      ['The library expects PEM, or PKCS #1.', testCommands['inspect-public-key']],
      ['An earlier public key is used instead.', verify('key-exchange/rotated-public-key')],
      [
        'A key of 3072 or 4096 bits is too long for a column or buffer.',
        verify('key-exchange/key-sizes'),
      ],
    ],
  },
  enc_partner_key: {
    title: 'The per-user key, encrypted',
    meaning:
      'In result of a key exchange: 32 random characters, encrypted with public_key (PKCS #1 v1.5), as Base64.',
    fix: 'Encrypt the 32 characters with PKCS #1 v1.5 and send the Base64 on one line.',
    section: '2.2',
    causes: [
      ['It is encrypted with OAEP or with another key.', keyExchange],
      [
        'It is not Base64: hexadecimal, base64url, or with line breaks.',
        verify('key-exchange/strict-base64'),
      ],
      ['The key inside does not have 32 characters.', verify('key-exchange/key-length')],
    ],
  },
  partner_sp: {
    title: 'The Super Passcode at registration, encrypted',
    meaning:
      'Encrypted with the per-user key; the application decrypts it and stores the result for sign-ins.',
    fix: 'Decrypt it with the key of this ptn_cd, under the cipher that the service specifies.',
    section: '4.1.2',
    causes: [
      ['The application decrypts with another cipher, mode or IV.', probe],
      ['It uses an older key or that of another user.', verify('registration/latest-key')],
      ['It stores the field without decrypting it.', verify('registration/rejects-undecryptable')],
    ],
  },
  ubifill: {
    title: 'The user information, encrypted',
    meaning:
      'Optional, encrypted like partner_sp. Decrypted it has email, name and phone; its format is not specified.',
    fix: 'Treat it as optional, and do not fail the registration for its format.',
    section: '2.3',
    causes: [
      ['The application expects another format or other fields.', testCommands['no-user-info']],
      ['It requires the field.', verify('registration/without-user-info')],
      ['Names outside ASCII are damaged.', verify('registration/unicode-user-info')],
    ],
  },
  ptn_token: {
    title: 'The application authentication token',
    meaning: 'Made by the client library on the device, for one sign-in of one user.',
    fix: 'Pass it on unchanged to {auth_url}/process/token, soon.',
    section: '2.1',
    causes: [
      ['It has expired.', 'authcli token --ptn-token TOKEN'],
      ['It was issued for another client.', tokenTrace],
      ['It is of another user.', 'authcli signin --ptn-token TOKEN --ptn-cd CODE'],
    ],
  },
  acs_token: {
    title: 'The access token',
    meaning: 'From /process/token, for one call of /process/authenticate before expire_dt.',
    fix: 'Send it once, unchanged, in the body.',
    section: '4.2.2',
    causes: [
      ['It has expired.', 'authcli token --ptn-token TOKEN'],
      ['It was used before.', 'authcli signin --ptn-token TOKEN'],
      ['It was changed or cut on its way.', 'authcli authenticate --acs-token TOKEN --trace'],
    ],
  },
  expire_dt: {
    title: 'The expiry of the access token',
    meaning: '14 digits, yyyyMMddHH24miss; the time zone is not specified.',
    fix: 'Set the time zone of the service, or rely on the response to authenticate.',
    section: '2.1',
    causes: [
      ['It is read in another time zone.', 'authcli token --ptn-token TOKEN'],
      ['The clock of this machine is wrong.', 'authcli doctor'],
      ['It is formatted with hh (12 hours) or kk (1 to 24).', 'authcli help decisions'],
    ],
  },
  ptn_sp: {
    title: 'The Super Passcode at a sign-in, encrypted',
    meaning:
      'From /process/authenticate. Decrypted with the per-user key it must equal the stored partner_sp.',
    fix: 'Decrypt it with the key of the user, and compare it exactly with the stored passcode.',
    section: '4.2.2',
    causes: [
      ['The stored key or passcode is not the latest.', 'authcli users show CODE'],
      [
        'It is decrypted under another cipher.',
        'authcli cipher identify PTN_SP --ptn-cd CODE --as ptn_sp',
      ],
      [
        'The passcode was cut or changed when it was stored.',
        'authcli signin --ptn-token TOKEN --expect-passcode PASSCODE',
      ],
    ],
  },
  code: {
    title: 'The result code',
    meaning: 'A string; "0000" is success, and any other value is a refusal.',
    fix: 'Send the string "0000" exactly when the operation has succeeded.',
    section: '7',
    causes: [
      ['It is a number: leading zeros are lost.', verify('key-exchange/response-shape')],
      ['Another value is intended as success.', keyExchange],
      ['The application refuses; message says why.', trace],
    ],
  },
  message: {
    title: 'The text beside the code',
    meaning:
      'In every response; it may be empty. authcli recognises error texts of libraries in it.',
    fix: 'Send it always, with the reason where code is not "0000".',
    section: '7',
    causes: [
      ['It is missing, or called msg.', verify('registration/response-shape')],
      ['It is null instead of an empty string.', verify('protocol/error-shape')],
      ['It quotes an error of a library.', "authcli explain 'TEXT'"],
    ],
  },
  result: {
    title: 'The payload of a response',
    meaning: 'An object with the fields of the operation; a refusal and a registration have none.',
    fix: 'Put the fields of the operation into an object named result.',
    section: '4',
    causes: [
      ['The fields are beside code instead of in result.', verify('key-exchange/response-shape')],
      ['It is a string that contains JSON.', keyExchange],
      ['It is null because the operation failed.', dryRun],
    ],
  },
};

/** The fields of the interface, by their names on the wire. */
export const fieldExplanations: readonly Explanation[] = Object.entries(fields).map(
  ([code, { causes, ...entry }]) => ({
    code,
    kind: 'field',
    ...entry,
    causes: causeTexts(causes),
  }),
);
