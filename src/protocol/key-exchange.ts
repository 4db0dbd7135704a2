import { encodeUtf8 } from '../bytes.ts';
import { type AnswerReading, encodeSuccess, type ResultFields, readAnswer } from './answer.ts';
import { parseRequest, type RequestReading, type RequestShape, requestText } from './request.ts';

/** The key-exchange callback's request (section 4.1.1). */
export interface KeyExchangeRequest {
  readonly clientId: string;
  readonly ptnCd: string;
  /** Base64 of an X.509 SubjectPublicKeyInfo (section 2.2). */
  readonly publicKey: string;
}

/** What the application returns (section 4.1.1). */
export interface KeyExchangeResult {
  /** Base64 of the per-user key, wrapped by RSAES-PKCS1-v1_5 (section 2.2); not looked into here. */
  readonly encPartnerKey: string;
}

/** How a key-exchange request is read; `callback.ts` reads both callbacks by such shapes. */
export const keyExchangeShape: RequestShape<KeyExchangeRequest> = {
  usedType: '1',
  fields: { clientId: 'client_id', ptnCd: 'ptn_cd', publicKey: 'public_key' },
};

const resultFields: ResultFields<KeyExchangeResult> = {
  encPartnerKey: {
    name: 'enc_partner_key',
    otherNames: [
      'enc_key',
      'encryptedKey',
      'encrypted_partner_key',
      'partner_key',
      'enc_ptn_key',
      'enc_user_key',
      'wrapped_key',
      'user_key',
      'key',
    ],
  },
};

/** The JSON of a key-exchange request, `used_type` "1", in the interface's order of fields. */
export function keyExchangeRequestText(request: KeyExchangeRequest): string {
  return requestText({
    client_id: request.clientId,
    used_type: '1',
    ptn_cd: request.ptnCd,
    public_key: request.publicKey,
  });
}

/** The same in UTF-8: the body. */
export function encodeKeyExchangeRequest(request: KeyExchangeRequest): Uint8Array {
  return encodeUtf8(keyExchangeRequestText(request));
}

/** Reads a key-exchange request; whether `public_key` is a key is for the caller to find out. */
export function parseKeyExchangeRequest(body: Uint8Array): RequestReading<KeyExchangeRequest> {
  return parseRequest(body, keyExchangeShape);
}

/** The body of an answer with "0000" and the wrapped key. */
export function encodeKeyExchangeAnswer(result: KeyExchangeResult, message = ''): Uint8Array {
  return encodeSuccess({ enc_partner_key: result.encPartnerKey }, message);
}

/** Reads the application's answer by section 4.1.1; never throws. */
export function readKeyExchangeAnswer(body: Uint8Array): AnswerReading<KeyExchangeResult> {
  return readAnswer(body, resultFields);
}
