import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import {
  diagnoseContentType,
  diagnoseRedirect,
  diagnoseResponse,
  type ResponseFacts,
} from '../../src/diagnosis/response.ts';
import type { Diagnosis } from '../../src/errors.ts';
import { operations } from '../../src/protocol/operations.ts';
import { fixtureRows } from '../support/fixtures.ts';

const right = '{"code":"0000","message":"","result":{"enc_partner_key":"q83v"}}';
const result = (fields: string) => `{"code":"0000","message":"","result":{${fields}}}`;
const token = (expireDt: string, user = 'u') =>
  result(`"acs_token":"a","expire_dt":"${expireDt}","ptn_cd":"${user}"`);
const exchange = operations['key-exchange'].readResponse;
const signin = operations.token.readResponse;

const reads = {
  'key-exchange': exchange,
  token: signin,
  authenticate: operations.authenticate.readResponse,
};
type Read = (typeof reads)[keyof typeof reads];

function diagnose(
  body: string | Uint8Array,
  facts: ResponseFacts = { status: 200 },
  read: Read = exchange,
): Diagnosis | undefined {
  const { problem } = read(typeof body === 'string' ? encodeUtf8(body) : body);
  return problem && diagnoseResponse(problem, facts);
}

/** Wrong responses and what is said of them; the right neighbours are below. */
type Row = readonly [
  code: string,
  body: string | { readonly hex: string },
  message: string,
  hint: string,
  facts?: number | ResponseFacts,
  read?: keyof typeof reads,
];

describe('diagnoseResponse', () => {
  const nested: Row = ['not-json', '['.repeat(2000), 'deeper than 1000 levels', 'contains itself'];
  it('says what is wrong, and how it is put right', () => {
    for (const row of [...fixtureRows<Row>('response-diagnoses.jsonl'), nested]) {
      const [code, given, message, hint, facts = 200, read = 'key-exchange'] = row;
      const body = typeof given === 'string' ? given : Buffer.from(given.hex, 'hex');
      const known = typeof facts === 'number' ? { status: facts } : facts;
      const found = diagnose(body, known, reads[read]);
      assert.equal(found?.code, code, message);
      assert.match(found.message, new RegExp(message));
      assert.match(found.hint, new RegExp(hint));
      assert.doesNotMatch(found.message + found.hint, /[\p{Cc}\p{Bidi_Control}\p{Cs}]/u);
    }
  });

  it('blames nothing in what is right, or near it', () => {
    const rows: readonly (readonly [string, Read])[] = [
      [`\ufeff ${right}\n`, exchange],
      [right.replace('"q83v"', '"<html>"'), exchange],
      [right.replace('""', '"not {json}, code=1"'), exchange],
      [result('"enc_partner_key":"q83v","enc_key":null,"key":7'), exchange],
      [token('20240229235959'), signin],
      [result('"ptn_sp":"0a1B"'), operations.authenticate.readResponse],
    ];
    for (const [body, read] of rows) assert.equal(diagnose(body, undefined, read), undefined, body);
  });

  it('has words for what only verify minds', () => {
    for (const [problem, message] of [
      [{ kind: 'byte-order-mark' }, /EF BB BF/],
      [{ kind: 'message-missing' }, /^Expected a message .*; it has none\.$/],
      [{ kind: 'message-missing', foundAt: 'msg' }, /there is "msg" instead\.$/],
    ] as const) {
      assert.match(diagnoseResponse(problem, { status: 200 }).message, message);
    }
  });

  it('stays short, whatever the response contains', () => {
    const long = 'x y '.repeat(1e6);
    const inside = { code: '0000', result: { [long]: { enc_partner_key: 'k' } } };
    const values = [long, { code: long, message: long }, { [long]: 1 }, inside];
    for (const body of [
      long,
      `<html><title>${long}`,
      ...values.map((one) => JSON.stringify(one)),
    ]) {
      const found = diagnose(body, { status: 200, contentType: long });
      assert.ok(found && found.message.length < 700, found?.message);
    }
  });
});

it('says of another Content-Type what it is', () => {
  for (const [type, code, message] of [
    ['text/html;charset=utf-8', 'html-instead-of-json', /has "text\/html;charset=utf-8"/],
    ['application/xhtml+xml', 'html-instead-of-json', /xhtml/],
    ['text/plain', 'not-json', /has "text\/plain"/],
    [undefined, 'not-json', /has none/],
  ] as const) {
    const found = diagnoseContentType(type);
    assert.equal(found.code, code);
    assert.match(found.message, message);
  }
});

it('says of a redirect where it leads, without its query, and why', () => {
  const url = new URL('http://app.test/callback');
  for (const [status, location, shown, hint] of [
    [302, '/login?next=hunter2', 'to http://app.test/login (status 302)', /no session/],
    [301, 'https://app.test/callback', 'to https://app.test/callback (status 301)', /with https:/],
    [308, '/callback/', 'to http://app.test/callback/ (status 308)', /trailing slash/],
    [307, 'http://b.test/x', 'to http://b.test/x (status 307)', /leads to/],
    [303, undefined, '(status 303)', /registered URL/],
    [302, 'http://', '(status 302)', /registered URL/],
  ] as const) {
    const found = diagnoseRedirect({ status, location, url });
    assert.equal(found?.code, 'redirect');
    assert.equal(found.message, `The response redirects ${shown}; redirects are not followed.`);
    assert.match(found.hint, hint);
  }
  for (const status of [200, 300, 304, 404]) {
    assert.equal(diagnoseRedirect({ status, location: '/x', url }), undefined);
  }
});
