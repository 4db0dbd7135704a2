import { encodeUtf8 } from '../bytes.ts';
import { type AnswerReading, encodeSuccess, type ResultFields, readAnswer } from './answer.ts';
import { expireDtFormat, parseExpireDt } from './expiry.ts';
import { parseRequest, type RequestReading, type RequestShape, requestText } from './request.ts';

/** The request for an access token (section 4.2.1). */
export interface TokenRequest {
  readonly clientId: string;
  /** Sent only in bodies to {auth_url} (section 2.1). */
  readonly secretKey: string;
  readonly ptnToken: string;
}

/** What the service returns for a `ptn_token` (section 4.2.1). */
export interface TokenResult {
  readonly acsToken: string;
  /** A real date and time as 14 digits, yyyyMMddHH24miss; its time zone is open. */
  readonly expireDt: string;
  readonly ptnCd: string;
}

const shape: RequestShape<TokenRequest> = {
  fields: { clientId: 'client_id', secretKey: 'secret_key', ptnToken: 'ptn_token' },
};

const resultFields: ResultFields<TokenResult> = {
  acsToken: {
    name: 'acs_token',
    otherNames: ['access_token', 'accessToken', 'acsTkn', 'token'],
    malformed: emptyText('an access token'),
  },
  expireDt: {
    name: 'expire_dt',
    otherNames: [
      'expire_date',
      'expireDtm',
      'expires',
      'expires_at',
      'expires_in',
      'expiry',
      'exp',
    ],
    malformed: noDate,
  },
  ptnCd: {
    name: 'ptn_cd',
    otherNames: ['ptn_code', 'partner_cd', 'partner_code', 'user_cd', 'user_code'],
    malformed: emptyText('the application user code'),
  },
};

/** The JSON of a token request. */
export function tokenRequestText(request: TokenRequest): string {
  return requestText({
    client_id: request.clientId,
    secret_key: request.secretKey,
    ptn_token: request.ptnToken,
  });
}

/** The same in UTF-8: the body. */
export function encodeTokenRequest(request: TokenRequest): Uint8Array {
  return encodeUtf8(tokenRequestText(request));
}

/** Reads a token request. */
export function parseTokenRequest(body: Uint8Array): RequestReading<TokenRequest> {
  return parseRequest(body, shape);
}

/** The body of an answer with "0000" and the access token. */
export function encodeTokenAnswer(result: TokenResult, message = ''): Uint8Array {
  const { acsToken, expireDt, ptnCd } = result;
  return encodeSuccess({ acs_token: acsToken, expire_dt: expireDt, ptn_cd: ptnCd }, message);
}

/** Reads the service's answer by section 4.2.1; never throws. */
export function readTokenAnswer(body: Uint8Array): AnswerReading<TokenResult> {
  return readAnswer(body, resultFields);
}

function noDate(text: string) {
  if (parseExpireDt(text) !== undefined) return undefined;
  const digits = /^\d{14}$/.test(text) ? '14 digits that are no date' : undefined;
  return { expected: expireDtFormat, observed: digits ?? `${text.length} characters` };
}

function emptyText(expected: string) {
  return (text: string) => (text === '' ? { expected, observed: 'an empty string' } : undefined);
}
