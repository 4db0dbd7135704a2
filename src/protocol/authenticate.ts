import { decodeBase64Lenient, decodeHex, encodeUtf8 } from '../bytes.ts';
import { type AnswerReading, encodeSuccess, type ResultFields, readAnswer } from './answer.ts';
import { parseRequest, type RequestReading, type RequestShape, requestText } from './request.ts';

/** The request that authenticates a user (section 4.2.2). */
export interface AuthenticateRequest {
  readonly clientId: string;
  /** Sent only in bodies to {auth_url} (section 2.1). */
  readonly secretKey: string;
  readonly acsToken: string;
}

/** What the service returns for an `acs_token` (section 4.2.2). */
export interface AuthenticateResult {
  /** The Super Passcode, encrypted with the per-user key, in Base64 or hexadecimal. */
  readonly ptnSp: string;
}

const shape: RequestShape<AuthenticateRequest> = {
  fields: { clientId: 'client_id', secretKey: 'secret_key', acsToken: 'acs_token' },
};

const resultFields: ResultFields<AuthenticateResult> = {
  ptnSp: {
    name: 'ptn_sp',
    otherNames: ['partner_sp', 'super_passcode', 'ptn_super_passcode', 'passcode', 'sp'],
    malformed: noPayload,
  },
};

/** The JSON of an authenticate request. */
export function authenticateRequestText(request: AuthenticateRequest): string {
  return requestText({
    client_id: request.clientId,
    secret_key: request.secretKey,
    acs_token: request.acsToken,
  });
}

/** The same in UTF-8: the body. */
export function encodeAuthenticateRequest(request: AuthenticateRequest): Uint8Array {
  return encodeUtf8(authenticateRequestText(request));
}

/** Reads an authenticate request. */
export function parseAuthenticateRequest(body: Uint8Array): RequestReading<AuthenticateRequest> {
  return parseRequest(body, shape);
}

/** The body of an answer with "0000" and the encrypted passcode. */
export function encodeAuthenticateAnswer(result: AuthenticateResult, message = ''): Uint8Array {
  return encodeSuccess({ ptn_sp: result.ptnSp }, message);
}

/** Reads the service's answer by section 4.2.2; never throws. */
export function readAuthenticateAnswer(body: Uint8Array): AnswerReading<AuthenticateResult> {
  return readAnswer(body, resultFields);
}

/** A service that forgets to encrypt sends the passcode itself: only lengths and places are told. */
function noPayload(text: string) {
  const expected = 'an encrypted value in Base64 or hexadecimal';
  const digits = text.replace(/\s+/g, '');
  if (digits === '') return { expected, observed: 'an empty string' };
  if (decodeHex(digits) || decodeBase64Lenient(digits)) return undefined;
  const place = digits.search(/[^A-Za-z0-9+/=_-]/);
  const where = place === -1 ? 'a length that neither has' : 'characters that neither has';
  return { expected, observed: `${text.length} characters with ${where}` };
}
