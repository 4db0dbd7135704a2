import { encodeUtf8 } from '../../bytes.ts';
import type { Delivery, EmulatorResponse } from '../http.ts';
import {
  defineApplicationFaults,
  type FaultRow,
  type Hooks,
  type ResponsePoints,
  type ServiceFault,
} from './points.ts';

/** What goes wrong around the JSON on either side; the checks are those of the application. */
const rows: Readonly<Record<string, FaultRow<ResponsePoints>>> = {
  'empty-body': ['Sends an empty response', { body: () => new Uint8Array() }],
  'byte-order-mark': [
    'Begins the response with a byte order mark',
    { body: (right) => Uint8Array.of(0xef, 0xbb, 0xbf, ...right) },
    'protocol/no-byte-order-mark',
  ],
  'utf16-body': [
    'Encodes the response in UTF-16',
    { body: (right) => Buffer.from(`\ufeff${Buffer.from(right).toString()}`, 'utf16le') },
    'not-json',
  ],
  'body-cut': [
    'Sends only the first half of the response, with a matching Content-Length',
    { body: (right) => right.subarray(0, right.length >> 1) },
    'not-json',
  ],
  html: ['Sends an HTML error page', { response: () => errorPage }, 'html-instead-of-json'],
  redirect: ['Redirects to another address', { response: redirected }],
  'text-content-type': [
    'Sends its JSON as text/html',
    { response: (right) => ({ ...right, headers: htmlHeaders }) },
    'protocol/json-content-type',
    'html-instead-of-json',
  ],
  'body-too-large': [
    'Sends a response of two megabytes',
    { body: (right) => Buffer.concat([right, Buffer.alloc(2_097_152, ' ')]) },
  ],
  slow: [
    'Takes four seconds for each response',
    delivers({ delayMs: 4000 }),
    'protocol/response-time',
    'timeout',
  ],
  silent: ['Accepts the request and never responds', delivers({ breakOff: 'silence' }), 'timeout'],
  reset: ['Resets the connection instead of responding', delivers({ breakOff: 'reset' })],
  truncated: [
    'Closes the connection in the middle of the response',
    delivers({ breakOff: 'truncate' }),
    'reset',
  ],
};

const htmlHeaders = { 'content-type': 'text/html;charset=utf-8' };

const errorPage: EmulatorResponse = {
  status: 500,
  headers: htmlHeaders,
  body: encodeUtf8(
    '<!DOCTYPE html><html><head><title>Error</title></head><body><h1>500 Internal Server Error</h1></body></html>',
  ),
};

function redirected(right: EmulatorResponse): EmulatorResponse {
  const headers = { ...right.headers, location: '/login' };
  return { ...right, status: 302, headers, body: new Uint8Array() };
}

function delivers(delivery: Delivery): Hooks<ResponsePoints> {
  return { response: (right) => ({ ...right, delivery }) };
}

const check = 'key-exchange/answers-success';
export const applicationHttpFaults = defineApplicationFaults({ check })(rows);

/** No check looks for faults of the service: an application that signs in meets them. */
export const serviceHttpFaults = applicationHttpFaults.map(
  ({ check: _, ...fault }) => ({ ...fault, side: 'service' }) as ServiceFault,
);
