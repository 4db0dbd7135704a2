import { expireDtFormat, parseExpireDt } from './expiry.ts';
import { defineOperation } from './response.ts';

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

export const {
  encodeRequest: encodeTokenRequest,
  parseRequest: parseTokenRequest,
  encodeResponse: encodeTokenResponse,
  readResponse: readTokenResponse,
} = defineOperation<TokenRequest, TokenResult>(
  { fields: { clientId: 'client_id', secretKey: 'secret_key', ptnToken: 'ptn_token' } },
  {
    acsToken: {
      name: 'acs_token',
      otherNames: ['access_token', 'accessToken', 'acsTkn', 'token'],
      malformed: emptyText('an access token'),
    },
    expireDt: {
      name: 'expire_dt',
      otherNames: 'expire_date expireDtm expires expires_at expires_in expiry exp'.split(' '),
      malformed: noDate,
    },
    ptnCd: {
      name: 'ptn_cd',
      otherNames: ['ptn_code', 'partner_cd', 'partner_code', 'user_cd', 'user_code'],
      malformed: emptyText('the application user code'),
    },
  },
);

function noDate(text: string) {
  if (parseExpireDt(text) !== undefined) return undefined;
  const digits = /^\d{14}$/.test(text) ? '14 digits that are not a date' : undefined;
  return { expected: expireDtFormat, observed: digits ?? `${text.length} characters` };
}

function emptyText(expected: string) {
  return (text: string) => (text === '' ? { expected, observed: 'an empty string' } : undefined);
}
