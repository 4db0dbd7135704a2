import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { Exchange } from '../../src/client/exchange.ts';
import { toCurl, toHar, toWireText } from '../../src/client/recording.ts';
import { decodeBody } from '../../src/client/response.ts';
import { diagnoseRedirect, diagnoseResponse } from '../../src/diagnosis/response.ts';
import { isJsonContentType } from '../../src/protocol/endpoints.ts';
import { expiresAt, expiryReadings, fittingOffsets } from '../../src/protocol/expiry.ts';
import { operations, parseCallbackRequest } from '../../src/protocol/operations.ts';
import type { ResponseReading } from '../../src/protocol/response.ts';
import { readUserInformation } from '../../src/protocol/user.ts';
import { jsonDocument } from '../../src/reports/json.ts';
import { Redactor } from '../../src/reports/redact.ts';
import { assertSilent, type Target, textOf } from './target.ts';

const secret = 'Xq7PlainSecretOfTheFuzzer2Kw9';

const response = (result: object) => JSON.stringify({ code: '0000', message: '', result });
const responses = [
  response({ enc_partner_key: 'QUJDRA==' }),
  response({ acs_token: 'a', expire_dt: '20300102030405', ptn_cd: 'u' }),
  response({ ptn_sp: 'QUJDRA==' }),
  '{"code":"0001","message":"no"}',
  '<html><title>x</title>',
  'code=0000&message=',
  '<?xml version="1.0"?><a/>',
];

/** A reading is whole: a result or a problem, and the problem can be printed. */
function judge<T>(reading: ResponseReading<T>): void {
  assert.notEqual(reading.result === undefined, reading.problem === undefined);
  for (const problem of [reading.problem, reading.messageProblem]) {
    if (problem === undefined) continue;
    const { message, hint } = diagnoseResponse(problem, { status: 200, contentType: 'text/x' });
    assert.ok(message.length < 1000 && hint !== '', message);
    assert.doesNotMatch(message, /\p{Cc}|\p{Bidi_Control}/u);
  }
}

const request = (fields: object) => JSON.stringify({ client_id: 'c', ...fields });
const requests = [
  request({ used_type: '1', ptn_cd: 'u', public_key: 'MIIB' }),
  request({ used_type: '2', ptn_cd: 'u', partner_sp: 'QUJD', ubifill: 'QUJD' }),
  request({ secret_key: 's', ptn_token: 't' }),
  request({ secret_key: 's', acs_token: 't' }),
];

/** An exchange whose response came so: the first bytes are a header, the rest the body. */
function exchangeOf(bytes: Uint8Array): Exchange {
  const value = Buffer.from(bytes.subarray(0, 40)).toString('latin1');
  const url = new URL('http://localhost:8080/callback?a=%zz[]');
  const headers = [[`x-${value}`, value]] as const;
  const head = { status: 200, statusText: value, httpVersion: 'HTTP/1.1', headers };
  return {
    request: { method: 'POST', url, headers, body: Buffer.concat([bytes, Buffer.from(secret)]) },
    startedAt: 0,
    durationMs: 1,
    timings: {},
    response: { ...head, body: bytes, encodedBodyBytes: bytes.length },
    attempts: 1,
  };
}

/** Every form of an exchange: the archive stays JSON without a control character, the secret hidden. */
function record(bytes: Uint8Array): void {
  const exchange = exchangeOf(bytes);
  const secrets = new Redactor();
  secrets.add(secret);
  const archive = jsonDocument(secrets.json(toHar([exchange], { version: '1' })));
  assert.equal((JSON.parse(archive) as { log: { entries: unknown[] } }).log.entries.length, 1);
  assert.doesNotMatch(archive, /(?!\n)\p{Cc}|\p{Bidi_Control}/u);
  assertSilent(archive, secret);
  assertSilent(secrets.text(toWireText(exchange) + toCurl(exchange.request)), secret);
}

const users = [
  '{"email":"a@b.example","name":"Kim","phone":"+82 10"}',
  'email=a%40b.example&name=Kim&phone=1',
  'Kim, a@b.example, 010-1234-5678',
  'email: a@b.example\nname: Kim\nphone: 010',
];
const gmt = 'Fri, 02 Jan 2026 03:04:05 GMT';
const share = 2;

/** What comes over the wire; none of these may throw at all. */
export const messageTargets: readonly Target[] = [
  [
    'key exchange',
    responses,
    (bytes) => judge(operations['key-exchange'].readResponse(bytes)),
    { share },
  ],
  ['registration', responses, (bytes) => judge(operations.registration.readResponse(bytes))],
  ['token response', responses, (bytes) => judge(operations.token.readResponse(bytes)), { share }],
  [
    'authentication',
    responses,
    (bytes) => judge(operations.authenticate.readResponse(bytes)),
    { share },
  ],
  ['callback request', requests, parseCallbackRequest],
  ['key-exchange request', requests, operations['key-exchange'].parseRequest],
  ['registration request', requests, operations.registration.parseRequest],
  ['token request', requests, operations.token.parseRequest],
  ['authenticate request', requests, operations.authenticate.parseRequest],
  ['user information', users, (bytes) => readUserInformation(textOf(bytes)), { share }],
  [
    'expire_dt',
    ['20300102030405', '2030-01-02T03:04:05Z', '99991231235959', gmt],
    (bytes) => {
      const text = textOf(bytes);
      expiresAt(text, 'Asia/Seoul');
      fittingOffsets({ expireDt: '20300102030405', dateHeader: text });
      fittingOffsets({ expireDt: text, dateHeader: gmt });
      return expiryReadings(text, 'America/New_York');
    },
  ],
  [
    'content type and location',
    ['application/json;charset=utf-8', 'application/problem+json; a="b;c"', 'https://a/b?c#d'],
    (bytes) => {
      const text = Buffer.from(bytes).toString('latin1');
      isJsonContentType(text);
      const redirect = diagnoseRedirect({ status: 302, location: text, url: new URL('http://a/') });
      assert.doesNotMatch(redirect?.message ?? '', /\p{Cc}|\p{Bidi_Control}/u);
    },
  ],
  [
    'compressed body',
    [gzipSync(responses[0] ?? ''), gzipSync(gzipSync('x'.repeat(5000)))],
    async (bytes) => {
      for (const coding of ['gzip', 'deflate', 'br', 'gzip, gzip', textOf(bytes).slice(0, 9)]) {
        const decoded = await decodeBody(bytes, coding, 4096);
        const length = decoded instanceof Uint8Array ? decoded.length : 0;
        assert.ok(length <= Math.max(4096, bytes.length));
      }
    },
    { share: 0.2 },
  ],
  ['recorded exchange', responses, record, { share: 0.5 }],
];
