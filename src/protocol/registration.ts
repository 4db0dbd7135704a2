import { encodeUtf8 } from '../bytes.ts';
import { type AnswerReading, encodeSuccess, readAnswer } from './answer.ts';
import { parseRequest, type RequestReading, type RequestShape, requestText } from './request.ts';

/** The registration-complete callback's request (section 4.1.2). */
export interface RegistrationRequest {
  readonly clientId: string;
  readonly ptnCd: string;
  /** The Super Passcode, encrypted with the per-user key. */
  readonly partnerSp: string;
  /** The user information, encrypted with the per-user key. */
  readonly ubifill?: string;
}

/** The answer carries `code` and `message` alone. */
export type RegistrationResult = Readonly<Record<string, never>>;

/** How a registration-complete request is read. */
export const registrationShape: RequestShape<RegistrationRequest> = {
  usedType: '2',
  fields: { clientId: 'client_id', ptnCd: 'ptn_cd', partnerSp: 'partner_sp', ubifill: 'ubifill' },
  optional: ['ubifill'],
};

/** The JSON of a registration-complete request, `used_type` "2"; without `ubifill` the field is left out. */
export function registrationRequestText(request: RegistrationRequest): string {
  return requestText({
    client_id: request.clientId,
    used_type: '2',
    ptn_cd: request.ptnCd,
    partner_sp: request.partnerSp,
    ubifill: request.ubifill,
  });
}

/** The same in UTF-8: the body. */
export function encodeRegistrationRequest(request: RegistrationRequest): Uint8Array {
  return encodeUtf8(registrationRequestText(request));
}

/** Reads a registration-complete request; its payloads stay encrypted. */
export function parseRegistrationRequest(body: Uint8Array): RequestReading<RegistrationRequest> {
  return parseRequest(body, registrationShape);
}

/** The body of an answer that accepts the registration ("0000"). */
export function encodeRegistrationAnswer(message = ''): Uint8Array {
  return encodeSuccess(undefined, message);
}

/** Reads the application's answer by section 4.1.2; a `result` in it is nobody's business. */
export function readRegistrationAnswer(body: Uint8Array): AnswerReading<RegistrationResult> {
  return readAnswer<RegistrationResult>(body, undefined);
}
