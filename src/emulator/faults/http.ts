import { encodeUtf8 } from '../../bytes.ts';
import type { EmulatorAnswer } from '../http.ts';
import type { AnswerPoints, FaultOf } from './points.ts';

/** What goes wrong around the JSON, whichever side answers; `check` is the one that expects success. */
function httpFaults(checks: {
  readonly success: string;
  readonly contentType: string;
  readonly mark: string;
  readonly time: string;
}): readonly FaultOf<AnswerPoints>[] {
  const check = checks.success;
  return [
    {
      name: 'empty-body',
      title: 'Answers with nothing',
      check,
      diagnosis: 'empty-body',
      apply: { body: () => new Uint8Array() },
    },
    {
      name: 'byte-order-mark',
      title: 'Begins the answer with a byte order mark',
      check: checks.mark,
      diagnosis: 'byte-order-mark',
      apply: { body: (right) => Uint8Array.of(0xef, 0xbb, 0xbf, ...right) },
    },
    {
      name: 'utf16-body',
      title: 'Writes the answer in UTF-16',
      check,
      diagnosis: 'not-json',
      apply: {
        body: (right) => Buffer.from(`\ufeff${Buffer.from(right).toString()}`, 'utf16le'),
      },
    },
    {
      name: 'body-cut',
      title: 'Loses the second half of the answer, with a Content-Length to match',
      check,
      diagnosis: 'not-json',
      apply: { body: (right) => right.subarray(0, right.length >> 1) },
    },
    {
      name: 'html',
      title: 'Answers with an error page in HTML',
      check,
      diagnosis: 'html-instead-of-json',
      apply: { answer: () => errorPage },
    },
    {
      name: 'redirect',
      title: 'Redirects to another address',
      check,
      diagnosis: 'redirect',
      apply: { answer: (right) => redirected(right) },
    },
    {
      name: 'text-content-type',
      title: 'Says text/html of its JSON',
      check: checks.contentType,
      diagnosis: 'html-instead-of-json',
      apply: {
        answer: (right) => ({ ...right, headers: { 'content-type': 'text/html;charset=utf-8' } }),
      },
    },
    {
      name: 'body-too-large',
      title: 'Answers with two megabytes',
      check,
      diagnosis: 'body-too-large',
      apply: { body: (right) => Buffer.concat([right, Buffer.alloc(2_097_152, ' ')]) },
    },
    {
      name: 'slow',
      title: 'Takes four seconds for each answer',
      check: checks.time,
      diagnosis: 'timeout',
      apply: { answer: (right) => ({ ...right, delivery: { delayMs: 4000 } }) },
    },
    {
      name: 'silent',
      title: 'Takes the request and never answers',
      check,
      diagnosis: 'timeout',
      apply: { answer: (right) => ({ ...right, delivery: { breakOff: 'silence' } }) },
    },
    {
      name: 'reset',
      title: 'Resets the connection instead of answering',
      check,
      diagnosis: 'reset',
      apply: { answer: (right) => ({ ...right, delivery: { breakOff: 'reset' } }) },
    },
    {
      name: 'truncated',
      title: 'Closes the connection in the middle of the answer',
      check,
      diagnosis: 'reset',
      apply: { answer: (right) => ({ ...right, delivery: { breakOff: 'truncate' } }) },
    },
  ];
}

const errorPage: EmulatorAnswer = {
  status: 500,
  headers: { 'content-type': 'text/html;charset=utf-8' },
  body: encodeUtf8(
    '<!DOCTYPE html><html><head><title>Error</title></head><body><h1>500 Internal Server Error</h1></body></html>',
  ),
};

function redirected(right: EmulatorAnswer): EmulatorAnswer {
  const headers = { ...right.headers, location: '/login' };
  return { ...right, status: 302, headers, body: new Uint8Array() };
}

export const applicationHttpFaults = httpFaults({
  success: 'key-exchange/answers-success',
  contentType: 'protocol/json-content-type',
  mark: 'protocol/no-byte-order-mark',
  time: 'protocol/response-time',
});

export const serviceHttpFaults = httpFaults({
  success: 'service/issues-token',
  contentType: 'service/json-content-type',
  mark: 'service/no-byte-order-mark',
  time: 'service/response-time',
});
