import { contentType, method, saysJsonInUtf8 } from '../protocol/endpoints.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { RequestReading } from '../protocol/operations.ts';
import { excerptOf, ownProperty } from '../text.ts';
import { type CodeEntry, type Refusal, refusal } from './handling.ts';
import type { EmulatorRequest } from './http.ts';

type HttpRefusal = 'method' | 'content-type' | 'body-too-large';
type ReadingRefusal = 'not-json' | 'field-missing' | 'field-type';
type Codes<Name extends string> = Readonly<Record<Name, CodeEntry>>;

/**
 * What is wrong with a request before its body is read, on either side.
 */
export function refusalOfHttp(
  request: EmulatorRequest,
  codes: Codes<HttpRefusal>,
): Refusal | undefined {
  if (request.method !== method) {
    return refusal(codes, 'method', `The method must be ${method}.`, { allow: method });
  }
  const type = request.headers['content-type'];
  if (!saysJsonInUtf8(type)) {
    const arrived =
      type === undefined ? 'the request has none' : `the request has ${excerptOf(type, 80)}`;
    const message = `The Content-type must be ${contentType}; ${arrived}.`;
    return refusal(codes, 'content-type', message);
  }
  if (request.bodyTooLarge) return refusal(codes, 'body-too-large', 'The body is too large.');
  return undefined;
}

/** What is wrong with a body that the protocol could not read. */
export function refusalOfReading(
  { problem, field, json }: Extract<RequestReading<unknown>, { ok: false }>,
  codes: Codes<ReadingRefusal>,
): Refusal {
  return refusal(codes, nameOf(field, json), problem);
}

function nameOf(field: string | undefined, json: unknown): ReadingRefusal {
  if (field === undefined || !isJsonObject(json)) return 'not-json';
  const value = ownProperty(json, field);
  if (value === undefined || value === '') return 'field-missing';
  // The field is a string and still named: its name occurs twice.
  return typeof value === 'string' ? 'not-json' : 'field-type';
}

/** The text of a field in a request that could not be read as a whole. */
export function seenField(json: unknown, name: string): string | undefined {
  const value = isJsonObject(json) ? ownProperty(json, name) : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function entry(code: string, meaning: string, fix: string, status = 200): CodeEntry {
  return { code, meaning, fix, status };
}

const notJson = [
  'The body is not a JSON object in UTF-8.',
  'Send one JSON object, encoded in UTF-8, without a byte order mark.',
] as const;
const wrongContentType = [
  'The Content-Type is not application/json;charset=utf-8.',
  'Send the header Content-type: application/json;charset=utf-8.',
  415,
] as const;
const bodyTooLarge = [
  'The body is larger than the emulator accepts.',
  'Send a smaller body.',
  413,
] as const;

/**
 * The codes of the reference application; the interface defines only "0000" (section 7). A refusal
 * has HTTP 200, because the body decides, unless the request isn't a call of the interface at all.
 */
export const applicationCodes = {
  'not-json': entry('A101', ...notJson),
  'field-missing': entry(
    'A102',
    'A required field is missing or empty.',
    'Send every required field of section 4.1.',
  ),
  'field-type': entry(
    'A103',
    'A field is not a string.',
    'Send every field as a JSON string: "1", not 1.',
  ),
  'used-type': entry(
    'A104',
    'used_type is neither "1" nor "2".',
    'Send "1" for the key exchange and "2" for registration complete.',
  ),
  'foreign-client': entry(
    'A105',
    'client_id is not the client id of this application.',
    'Send the client id that the application is configured with.',
  ),
  'public-key': entry(
    'A106',
    'public_key is not Base64 of an X.509 SubjectPublicKeyInfo with an RSA key that can wrap the per-user key.',
    'Send Base64 (without line breaks) of the DER of the SubjectPublicKeyInfo.',
  ),
  'unknown-user': entry(
    'A107',
    'No key was exchanged for this ptn_cd.',
    'Send the key-exchange callback first, with the same ptn_cd.',
  ),
  undecryptable: entry(
    'A108',
    "partner_sp or ubifill can't be decrypted with the key of this ptn_cd.",
    'Encrypt with the key of the latest key exchange, with the cipher that both sides are configured with.',
  ),
  path: entry('A900', 'No endpoint at that path.', 'Send callbacks to the path /callback.', 404),
  method: entry('A901', 'The method is not POST.', 'Send callbacks with POST.', 405),
  'content-type': entry('A902', ...wrongContentType),
  'body-too-large': entry('A903', ...bodyTooLarge),
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type ApplicationRefusal = keyof typeof applicationCodes;

/**
 * The codes of the emulated service; the interface defines only "0000" (section 7). The real service
 * has its own, so an application should pass any other code on and not look for these.
 */
export const serviceCodes = {
  'not-json': entry('E101', ...notJson),
  'field-missing': entry(
    'E102',
    'A required field is missing or empty.',
    'Send client_id, secret_key and ptn_token or acs_token (section 4.2).',
  ),
  'field-type': entry('E103', 'A field is not a string.', 'Send every field as a JSON string.'),
  client: entry(
    'E104',
    'client_id and secret_key do not match, or are not those of the emulated service.',
    'Send the client_id and the secret_key that the emulated service was started with.',
  ),
  'secret-outside-body': entry(
    'E105',
    'The secret key is in the URL or in a header.',
    'Send secret_key in the JSON body only (section 5.1).',
  ),
  'ptn-token': entry(
    'E201',
    'ptn_token was not issued for this client.',
    'Get one from issue-ptn-token under the same client id and secret key, and pass it on unchanged.',
  ),
  'ptn-token-expired': entry(
    'E202',
    'ptn_token has expired.',
    'Get a new ptn_token, and exchange it before it expires.',
  ),
  'unknown-user': entry(
    'E203',
    'The emulated service does not know the user.',
    'Run a sign-up for this ptn_cd first.',
  ),
  'not-registered': entry(
    'E204',
    'The user has exchanged a key, but the registration is not complete: no passcode yet.',
    'Complete the sign-up with the registration callback.',
  ),
  'acs-token': entry(
    'E301',
    'acs_token was not issued by this service.',
    'Send the acs_token of the last /process/token response, unchanged.',
  ),
  'acs-token-expired': entry(
    'E302',
    'acs_token has expired.',
    'Get a new acs_token, and authenticate before its expire_dt.',
  ),
  'acs-token-used': entry(
    'E303',
    'acs_token has already been used.',
    'Use each acs_token once; get a new one for each sign-in.',
  ),
  path: entry(
    'E900',
    'Unknown endpoint.',
    'POST to {auth_url}/process/token or {auth_url}/process/authenticate.',
    404,
  ),
  method: entry('E901', 'The method is not POST.', 'Call both endpoints with POST.', 405),
  'content-type': entry('E902', ...wrongContentType),
  'body-too-large': entry('E903', ...bodyTooLarge),
  'user-key': entry(
    'E990',
    'The passcode could not be encrypted: the key of the user does not fit the cipher.',
    'Set the cipher that the application uses, or run the sign-up again.',
    500,
  ),
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type ServiceRefusal = keyof typeof serviceCodes;
