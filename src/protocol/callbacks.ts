import { keepingLatest } from '../latest-results.ts';
import {
  parseRequestFields,
  parseRequestObject,
  type RequestReading,
  type RequestShape,
} from './request.ts';
import { defineOperation } from './response.ts';

/** The key-exchange callback's request (section 4.1.1). */
export interface KeyExchangeRequest {
  readonly clientId: string;
  readonly ptnCd: string;
  /** Base64 of an X.509 SubjectPublicKeyInfo (section 2.2). */
  readonly publicKey: string;
}

/** What the application returns (section 4.1.1). */
export interface KeyExchangeResult {
  /** Base64 of the per-user key, wrapped by RSAES-PKCS1-v1_5 (section 2.2); not decoded here. */
  readonly encPartnerKey: string;
}

const keyExchangeShape: RequestShape<KeyExchangeRequest> = {
  usedType: '1',
  fields: { clientId: 'client_id', ptnCd: 'ptn_cd', publicKey: 'public_key' },
};

export const {
  encodeRequest: encodeKeyExchangeRequest,
  parseRequest: parseKeyExchangeRequest,
  encodeResponse: encodeKeyExchangeResponse,
  readResponse: readKeyExchangeResponse,
} = defineOperation<KeyExchangeRequest, KeyExchangeResult>(keyExchangeShape, {
  encPartnerKey: {
    name: 'enc_partner_key',
    otherNames: [
      ...['enc_key', 'encryptedKey', 'encrypted_partner_key', 'partner_key', 'enc_ptn_key'],
      ...['enc_user_key', 'wrapped_key', 'user_key', 'key'],
    ],
  },
});

/** The registration-complete callback's request (section 4.1.2). */
export interface RegistrationRequest {
  readonly clientId: string;
  readonly ptnCd: string;
  /** The Super Passcode, encrypted with the per-user key. */
  readonly partnerSp: string;
  /** The user information, encrypted with the per-user key. */
  readonly ubifill?: string;
}

/** The response carries `code` and `message` alone. */
export type RegistrationResult = Readonly<Record<string, never>>;

const registrationShape: RequestShape<RegistrationRequest> = {
  usedType: '2',
  fields: { clientId: 'client_id', ptnCd: 'ptn_cd', partnerSp: 'partner_sp', ubifill: 'ubifill' },
  optional: ['ubifill'],
};

export const {
  encodeRequest: encodeRegistrationRequest,
  parseRequest: parseRegistrationRequest,
  encodeResponse: encodeRegistrationResponse,
  readResponse: readRegistrationResponse,
} = defineOperation<RegistrationRequest, RegistrationResult>(registrationShape);

/** Either callback; both come to one URL and `used_type` distinguishes them (section 4.1). */
export type CallbackRequest =
  | (KeyExchangeRequest & { readonly usedType: '1' })
  | (RegistrationRequest & { readonly usedType: '2' });

/**
 * Reads a request to the callback URL as the callback of its `used_type`; never throws. What was read of the latest
 * bodies is kept.
 */
export const parseCallbackRequest = keepingLatest(
  8,
  (body: Uint8Array): RequestReading<CallbackRequest> => {
    const object = parseRequestObject(body);
    if (!object.ok) return object;
    const json = object.value;
    if (json.used_type === '2') return tagged('2', parseRequestFields(json, registrationShape));
    const reading = tagged('1', parseRequestFields(json, keyExchangeShape));
    if (reading.ok || reading.field !== 'used_type' || typeof json.used_type !== 'string') {
      return reading;
    }
    return { ...reading, problem: 'The field "used_type" must be "1" or "2".' };
  },
);

function tagged<T extends object, U extends '1' | '2'>(
  usedType: U,
  reading: RequestReading<T>,
): RequestReading<T & { readonly usedType: U }> {
  return reading.ok ? { ...reading, value: { ...reading.value, usedType } } : reading;
}
