import type { CodeEntry } from './handling.ts';

/**
 * The codes of the emulated service. The interface defines "0000" alone (section 7): the real
 * service has its own, so an application should pass any other code on, not look for these.
 */
export const serviceCodes = {
  'not-json': {
    code: 'E101',
    meaning: 'The body is not a JSON object in UTF-8.',
    mend: 'Send one JSON object, encoded in UTF-8, without a byte order mark.',
    status: 200,
  },
  'field-missing': {
    code: 'E102',
    meaning: 'A required field is missing or empty.',
    mend: 'Send client_id, secret_key and ptn_token or acs_token (section 4.2).',
    status: 200,
  },
  'field-type': {
    code: 'E103',
    meaning: 'A field is not a string.',
    mend: 'Send every field as a JSON string.',
    status: 200,
  },
  client: {
    code: 'E104',
    meaning:
      'client_id and secret_key do not belong together, or are not those of the emulated service.',
    mend: 'Send the client_id and the secret_key that the emulated service was started with.',
    status: 200,
  },
  'secret-outside-body': {
    code: 'E105',
    meaning: 'The secret key stands in the URL or in a header.',
    mend: 'Send secret_key in the JSON body only (section 5.1).',
    status: 200,
  },
  'ptn-token': {
    code: 'E201',
    meaning: 'ptn_token was not issued for this client.',
    mend: 'Get one from issue-ptn-token under the same client id and secret key, and pass it on unchanged.',
    status: 200,
  },
  'ptn-token-expired': {
    code: 'E202',
    meaning: 'ptn_token has expired.',
    mend: 'Exchange the token soon after it was issued; get a new one.',
    status: 200,
  },
  'unknown-user': {
    code: 'E203',
    meaning: 'The emulated service does not know the user.',
    mend: 'Run a sign-up for this ptn_cd first.',
    status: 200,
  },
  'not-registered': {
    code: 'E204',
    meaning:
      'The user has exchanged a key, but the registration is not complete: there is no passcode yet.',
    mend: 'Complete the sign-up with the registration callback.',
    status: 200,
  },
  'acs-token': {
    code: 'E301',
    meaning: 'acs_token was not given out by this service.',
    mend: 'Send the acs_token of the last /process/token answer, unchanged.',
    status: 200,
  },
  'acs-token-expired': {
    code: 'E302',
    meaning: 'acs_token has expired.',
    mend: 'Authenticate before expire_dt; get a new acs_token.',
    status: 200,
  },
  'acs-token-used': {
    code: 'E303',
    meaning: 'acs_token has already been used.',
    mend: 'Use each acs_token once; get a new one for each sign-in.',
    status: 200,
  },
  path: {
    code: 'E900',
    meaning: 'There is no such endpoint.',
    mend: 'POST to {auth_url}/process/token or {auth_url}/process/authenticate.',
    status: 404,
  },
  method: {
    code: 'E901',
    meaning: 'The method is not POST.',
    mend: 'Call both endpoints with POST.',
    status: 405,
  },
  'content-type': {
    code: 'E902',
    meaning: 'The Content-Type is not application/json;charset=utf-8.',
    mend: 'Send the header Content-type: application/json;charset=utf-8.',
    status: 415,
  },
  'body-too-large': {
    code: 'E903',
    meaning: 'The body is larger than the emulator takes.',
    mend: 'Send less.',
    status: 413,
  },
  'user-key': {
    code: 'E990',
    meaning: 'The passcode could not be encrypted: the key of the user does not fit the cipher.',
    mend: 'Set the cipher that the application uses, or run the sign-up again.',
    status: 500,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type ServiceRefusal = keyof typeof serviceCodes;
