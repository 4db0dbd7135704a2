import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bodyTooLarge, diagnoseRedirect } from '../../src/diagnosis/response-http.ts';

const url = new URL('http://app.test/callback');

describe('diagnoseRedirect', () => {
  const cases: readonly (readonly [number, string | undefined, string, RegExp])[] = [
    [
      302,
      '/login?next=hunter2',
      'The response redirects to http://app.test/login (status 302); redirects are not followed.',
      /login: the service has no session/,
    ],
    [
      301,
      'https://app.test/callback',
      'The response redirects to https://app.test/callback (status 301); redirects are not followed.',
      /Use the URL with https:\/\//,
    ],
    [
      308,
      '/callback/',
      'The response redirects to http://app.test/callback/ (status 308); redirects are not followed.',
      /trailing slash/,
    ],
    [
      307,
      'http://b.test/x',
      'The response redirects to http://b.test/x (status 307); redirects are not followed.',
      /leads to/,
    ],
    [
      303,
      undefined,
      'The response redirects (status 303); redirects are not followed.',
      /registered URL/,
    ],
    [
      302,
      'http://',
      'The response redirects (status 302); redirects are not followed.',
      /registered URL/,
    ],
  ];
  for (const [status, location, message, hint] of cases) {
    it(message, () => {
      const found = diagnoseRedirect({ status, location, url });
      assert.equal(found?.code, 'redirect');
      assert.equal(found?.message, message);
      assert.match(found?.hint ?? '', hint);
    });
  }

  for (const status of [200, 300, 304, 404, 500]) {
    it(`leaves ${status} alone`, () => {
      assert.equal(diagnoseRedirect({ status, location: '/x', url }), undefined);
    });
  }
});

describe('bodyTooLarge', () => {
  const cases: readonly (readonly [number, object, string])[] = [
    [1048576, {}, 'The body of the response is larger than 1 MiB.'],
    [2048, { announced: 100 }, 'The body of the response is larger than 2 KiB.'],
    [
      1000,
      { announced: 2000 },
      'The response announces a body of 2000 bytes, more than the limit of 1000 bytes.',
    ],
    [1048576, { inflated: 'br' }, 'The body of the response exceeds 1 MiB once its br is decoded.'],
  ];
  for (const [limit, facts, message] of cases) {
    it(message, () => {
      assert.equal(bodyTooLarge(limit, facts).message, message);
      assert.equal(bodyTooLarge(limit, facts).code, 'body-too-large');
    });
  }
});
