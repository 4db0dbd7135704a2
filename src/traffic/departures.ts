import { encodeUtf8 } from '../bytes.ts';
import { headerOf } from '../client/exchange.ts';
import type { CheckFacts, Fault } from '../conformance/check.ts';
import { recogniseKey } from '../crypto/key-text.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import type { DiagnosisCode } from '../errors.ts';
import { keepingLatest } from '../latest-results.ts';
import { contentType, method, saysJsonInUtf8 } from '../protocol/endpoints.ts';
import { parseCallbackRequest, type RequestReading } from '../protocol/operations.ts';

import { excerptOf, ownProperty } from '../text.ts';
import { type CapturedRequest, jsonOf } from './capture.ts';

const must = { level: 'must', polarity: 'positive' } as const;

/** What a service must keep to in its callbacks: requirements that only its traffic can show. */
export const callbackFacts = {
  method: {
    id: 'callback/method',
    title: 'must send both callbacks with POST',
    section: '4.1',
    sentence: 'All requests are HTTP POST.',
    ...must,
  },
  contentType: {
    id: 'callback/content-type',
    title: 'must send both callbacks as application/json;charset=utf-8',
    section: '4.1',
    sentence: 'All requests carry the header Content-type: application/json;charset=utf-8.',
    ...must,
  },
  shape: {
    id: 'callback/request-shape',
    title: 'must send the fields of a callback as strings that are not empty',
    section: '4.1',
    sentence: 'Request body: client_id, used_type, ptn_cd, and public_key or partner_sp.',
    ...must,
  },
  publicKey: {
    id: 'callback/public-key',
    title: 'must send public_key as one line of Base64 of an RSA SubjectPublicKeyInfo',
    section: '2.2',
    sentence: 'public_key is a Base64 encoding of an X.509 SubjectPublicKeyInfo RSA key.',
    ...must,
  },
  payloads: {
    id: 'callback/payloads',
    title: 'must encrypt partner_sp and ubifill with the per-user key and the cipher agreed on',
    section: '4.1.2',
    sentence: 'partner_sp: Super Passcode, encrypted with the per-user key.',
    ...must,
  },
} as const satisfies Readonly<Record<string, CheckFacts>>;

/** What a log itself must not contain. */
export const logFacts = {
  secretKey: {
    id: 'log/secret-key',
    title: 'should not write the secret_key to a log',
    section: '5',
    sentence: 'The secret key is shared by the service and the application server only.',
    level: 'should',
    polarity: 'positive',
  },
} as const satisfies Readonly<Record<string, CheckFacts>>;

export interface Departure {
  readonly check: CheckFacts;
  readonly fault: Fault;
}

/** Where a callback departs from section 4.1; what wasn't written down isn't blamed. */
export function departuresOf(request: CapturedRequest): readonly Departure[] {
  const { method: sent = method, headers, isCut } = request;
  const { public_key: publicKey } = jsonOf(request);
  const departures: Departure[] = [];
  const depart = (check: CheckFacts, fault: Fault) => departures.push({ check, fault });
  if (sent !== method) {
    const fix = 'Send both callbacks with POST, the fields as JSON in the body.';
    depart(callbackFacts.method, { expected: method, observed: sent, fix });
  }
  const type = headers && headerOf(headers, 'content-type');
  if (headers !== undefined && !saysJsonInUtf8(type)) {
    const expected = `Content-type: ${contentType}`;
    const observed =
      type === undefined ? 'no Content-type' : `Content-type: ${excerptOf(type, 80)}`;
    const fix = `Send the header ${expected} with each callback.`;
    depart(callbackFacts.contentType, { expected, observed, fix });
  }
  for (const fault of isCut ? [] : shapeFaults(request)) depart(callbackFacts.shape, fault);
  const fault = typeof publicKey === 'string' && publicKey !== '' && publicKeyFault(publicKey);
  if (fault) depart(callbackFacts.publicKey, fault);
  return departures;
}

/** All fields of a wrong type, and what is wrong besides; a number is read on as its text. */
function shapeFaults({ body }: CapturedRequest): readonly Fault[] {
  const reading = parseCallbackRequest(body);
  if (reading.ok) return [];
  const { field = '' } = reading;
  const fields = jsonOf({ body });
  const value = ownProperty(fields, field);
  if (typeof value !== 'number' && typeof value !== 'boolean') return [shapeFault(reading)];
  const asText = encodeUtf8(JSON.stringify({ ...fields, [field]: String(value) }));
  const observed = `${field} as a ${typeof value}`;
  const message = `The service sends ${observed}, not as a string.`;
  const fix = `Send ${field} as a string: "${field}":"…".`;
  const cause = diagnosis('field-type', message, fix);
  const fault = { expected: 'strings', observed, fix, diagnosis: cause };
  return [fault, ...shapeFaults({ body: asText })];
}

function shapeFault(reading: Exclude<RequestReading<object>, { readonly ok: true }>): Fault {
  const { problem, field, json } = reading;
  const value = field === undefined ? undefined : Object(json)[field];
  const absent: DiagnosisCode = field === undefined ? 'not-json' : 'field-missing';
  const wrong: DiagnosisCode = typeof value === 'string' ? 'field-malformed' : 'field-type';
  const code = value === undefined ? absent : wrong;
  const fix = 'Send the fields of section 4.1 as one JSON object of strings, in UTF-8.';
  const expected = field === undefined ? 'a JSON object' : `the field ${excerptOf(field, 40)}`;
  return { expected, observed: problem, fix, diagnosis: diagnosis(code, problem, fix) };
}

const publicKeyFault = keepingLatest(4, (text: string): Fault | undefined => {
  const { encoding, key, refusal, notes } = recogniseKey(text);
  const isExact = encoding === 'base64' && key?.kind === 'public-key' && notes.length === 0;
  if (isExact && refusal === undefined && /^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const seen = /[\r\n]/.test(text.trim()) ? 'text of several lines' : `${text.length} characters`;
  const why = refusal?.reason ?? notes.join('; ');
  const observed = `${encoding === undefined ? seen : `${encoding}, ${seen}`}${why && `: ${why}`}`;
  const fix =
    'Send the DER of the SubjectPublicKeyInfo in Base64, without line breaks or PEM lines.';
  const message = `Expected public_key to be one line of Base64 of an RSA SubjectPublicKeyInfo; it is ${observed}.`;
  const expected = 'one line of Base64 of a SubjectPublicKeyInfo';
  return { expected, observed, fix, diagnosis: diagnosis('field-malformed', message, fix) };
});
