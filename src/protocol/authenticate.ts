import { decodeBase64Lenient, decodeHex } from '../bytes.ts';
import { defineOperation } from './response.ts';

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

export const {
  encodeRequest: encodeAuthenticateRequest,
  parseRequest: parseAuthenticateRequest,
  encodeResponse: encodeAuthenticateResponse,
  readResponse: readAuthenticateResponse,
} = defineOperation<AuthenticateRequest, AuthenticateResult>(
  { fields: { clientId: 'client_id', secretKey: 'secret_key', acsToken: 'acs_token' } },
  {
    ptnSp: {
      name: 'ptn_sp',
      otherNames: ['partner_sp', 'super_passcode', 'ptn_super_passcode', 'passcode', 'sp'],
      malformed: noPayload,
    },
  },
);

/** A service that forgets to encrypt sends the passcode itself: only lengths and places are reported. */
function noPayload(text: string) {
  const expected = 'an encrypted value in Base64 or hexadecimal';
  const digits = text.replace(/\s+/g, '');
  if (digits === '') return { expected, observed: 'an empty string' };
  if (decodeHex(digits) || decodeBase64Lenient(digits)) return undefined;
  const place = digits.search(/[^A-Za-z0-9+/=_-]/);
  const where = place === -1 ? 'a length that neither has' : 'characters that neither has';
  return { expected, observed: `${text.length} characters with ${where}` };
}
