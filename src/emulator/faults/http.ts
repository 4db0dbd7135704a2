import { encodeUtf8 } from '../../bytes.ts';
import type { Delivery, EmulatorResponse } from '../http.ts';
import { defineFaults, type Hooks, type ResponsePoints, type ServiceFault } from './points.ts';

/** What goes wrong around the JSON on either side; the checks are those of the application. */
export const applicationHttpFaults = defineFaults(undefined, {
  'key-exchange/answers-success': {
    'empty-body': { body: () => new Uint8Array() },
    'utf16-body': {
      body: (right) => Buffer.from(`\ufeff${Buffer.from(right).toString()}`, 'utf16le'),
      diagnosis: 'not-json',
    },
    'body-cut': { body: (right) => right.subarray(0, right.length >> 1), diagnosis: 'not-json' },
    html: { response: () => errorPage, diagnosis: 'html-instead-of-json' },
    redirect: { response: redirected },
    'body-too-large': { body: (right) => Buffer.concat([right, Buffer.alloc(2_097_152, ' ')]) },
    silent: { ...delivers({ breakOff: 'silence' }), diagnosis: 'timeout' },
    reset: delivers({ breakOff: 'reset' }),
    truncated: { ...delivers({ breakOff: 'truncate' }), diagnosis: 'reset' },
  },
  'protocol/no-byte-order-mark': {
    'byte-order-mark': { body: (right) => Uint8Array.of(0xef, 0xbb, 0xbf, ...right) },
  },
  'protocol/json-content-type': {
    'text-content-type': {
      response: (right) => ({ ...right, headers: htmlHeaders }),
      diagnosis: 'html-instead-of-json',
    },
  },
  'protocol/response-time': {
    slow: { ...delivers({ delayMs: 4000 }), diagnosis: 'timeout' },
  },
});

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

/** No check looks for faults of the service: an application that signs in meets them. */
export const serviceHttpFaults = applicationHttpFaults.map(
  ({ check: _, ...fault }) => fault as ServiceFault,
);
