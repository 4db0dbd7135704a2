import { encodeUtf8 } from '../../bytes.ts';
import type { Delivery, EmulatorResponse } from '../http.ts';
import {
  defineApplicationFaults,
  defineServiceFaults,
  type FaultRows,
  type Hooks,
  type ResponsePoints,
} from './points.ts';

/** What goes wrong around the JSON on either side; `checks` are those that expect something else than success. */
function httpFaults(checks?: {
  readonly contentType: string;
  readonly mark: string;
  readonly time: string;
}): FaultRows<ResponsePoints, { check: string }> {
  return {
    'empty-body': {
      title: 'Sends an empty response',
      diagnosis: 'empty-body',
      apply: { body: () => new Uint8Array() },
    },
    'byte-order-mark': {
      title: 'Begins the response with a byte order mark',
      ...(checks && { check: checks.mark }),
      diagnosis: 'byte-order-mark',
      apply: { body: (right) => Uint8Array.of(0xef, 0xbb, 0xbf, ...right) },
    },
    'utf16-body': {
      title: 'Encodes the response in UTF-16',
      diagnosis: 'not-json',
      apply: {
        body: (right) => Buffer.from(`\ufeff${Buffer.from(right).toString()}`, 'utf16le'),
      },
    },
    'body-cut': {
      title: 'Sends only the first half of the response, with a matching Content-Length',
      diagnosis: 'not-json',
      apply: { body: (right) => right.subarray(0, right.length >> 1) },
    },
    html: {
      title: 'Sends an HTML error page',
      diagnosis: 'html-instead-of-json',
      apply: { response: () => errorPage },
    },
    redirect: {
      title: 'Redirects to another address',
      diagnosis: 'redirect',
      apply: { response: (right) => redirected(right) },
    },
    'text-content-type': {
      title: 'Sends its JSON as text/html',
      ...(checks && { check: checks.contentType }),
      diagnosis: 'html-instead-of-json',
      apply: { response: (right) => ({ ...right, headers: htmlHeaders }) },
    },
    'body-too-large': {
      title: 'Sends a response of two megabytes',
      diagnosis: 'body-too-large',
      apply: { body: (right) => Buffer.concat([right, Buffer.alloc(2_097_152, ' ')]) },
    },
    slow: {
      title: 'Takes four seconds for each response',
      ...(checks && { check: checks.time }),
      diagnosis: 'timeout',
      apply: delivers({ delayMs: 4000 }),
    },
    silent: {
      title: 'Accepts the request and never responds',
      diagnosis: 'timeout',
      apply: delivers({ breakOff: 'silence' }),
    },
    reset: {
      title: 'Resets the connection instead of responding',
      diagnosis: 'reset',
      apply: delivers({ breakOff: 'reset' }),
    },
    truncated: {
      title: 'Closes the connection in the middle of the response',
      diagnosis: 'reset',
      apply: delivers({ breakOff: 'truncate' }),
    },
  };
}

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

export const applicationHttpFaults = defineApplicationFaults({
  check: 'key-exchange/answers-success',
})(
  httpFaults({
    contentType: 'protocol/json-content-type',
    mark: 'protocol/no-byte-order-mark',
    time: 'protocol/response-time',
  }),
);

export const serviceHttpFaults = defineServiceFaults({})(httpFaults());
