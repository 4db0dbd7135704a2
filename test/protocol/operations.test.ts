import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import {
  operations,
  parseCallbackRequest,
  type RequestReading,
} from '../../src/protocol/operations.ts';

import { secretsInMessage } from '../../src/protocol/secret-fields.ts';
import { fixtureRows } from '../support/fixtures.ts';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');

it('writes the requests in the order of the interface, and reads them again', () => {
  const client = { clientId: 'app', ptnCd: 'u-1' };
  const service = { clientId: 'app', secretKey: '김' };
  const key = { ...client, publicKey: 'MIIB' };
  const user = { ...client, partnerSp: 'p', ubifill: 'i' };
  const passcode = { ...client, partnerSp: 'p' };
  const [issue, check] = [
    { ...service, ptnToken: 't' },
    { ...service, acsToken: 'a' },
  ];
  const bodies = [
    operations['key-exchange'].encodeRequest(key),
    operations.registration.encodeRequest(user),
    operations.registration.encodeRequest(passcode),
    operations.token.encodeRequest(issue),
    operations.authenticate.encodeRequest(check),
  ] as const;
  assert.deepEqual(bodies.map(text), [
    '{"client_id":"app","used_type":"1","ptn_cd":"u-1","public_key":"MIIB"}',
    '{"client_id":"app","used_type":"2","ptn_cd":"u-1","partner_sp":"p","ubifill":"i"}',
    '{"client_id":"app","used_type":"2","ptn_cd":"u-1","partner_sp":"p"}',
    '{"client_id":"app","secret_key":"김","ptn_token":"t"}',
    '{"client_id":"app","secret_key":"김","acs_token":"a"}',
  ]);
  same(operations['key-exchange'].parseRequest(bodies[0]), key);
  same(operations.registration.parseRequest(bodies[1]), user);
  same(operations.registration.parseRequest(bodies[2]), passcode);
  same(operations.token.parseRequest(bodies[3]), issue);
  same(operations.authenticate.parseRequest(bodies[4]), check);
  same(parseCallbackRequest(bodies[0]), { ...key, usedType: '1' });
  same(parseCallbackRequest(bodies[1]), { ...user, usedType: '2' });
  const more = text(bodies[3]).replace('}', ',"locale":"ko","__proto__":1}');
  const reading = operations.token.parseRequest(encodeUtf8(more));
  assert.ok(reading.ok);
  assert.deepEqual(Object.keys(reading.unknownFields), ['locale', '__proto__']);
});

it('refuses a request with its first fault, and no value of it', () => {
  for (const [body, expected] of [
    ['{"client_id":', /not JSON: truncated at line 1, column 14/],
    ['{"client_id":"a","constructor":"s"}', /"secret_key" is missing/],
    ['{"client_id":"a","client_id":"b"}', /"client_id" occurs twice/],
    [Buffer.from('{"client_id":"é"}', 'latin1'), /invalid-utf-8 \(byte 0xe9 at offset 14\)/],
    ['{"secret_key":"hunter2","client_id":1}', /^(?!.*hunter2).*"client_id" must be a string/],
    ['{"secret_key":"hunter2"', /^(?!.*hunter2).*not JSON/],
  ] as const) {
    const reading = operations.token.parseRequest(Buffer.from(body));
    assert.match(reading.ok ? '' : reading.problem, expected);
  }
});

it('writes the responses in the order of the interface, and reads them again', () => {
  const issued = { acsToken: 'a', expireDt: '20260701120000', ptnCd: '김' };
  const bodies = [
    operations['key-exchange'].encodeResponse({ encPartnerKey: 'k' }),
    operations.registration.encodeResponse({}),
    operations.token.encodeResponse(issued),
    operations.authenticate.encodeResponse({ ptnSp: 'AAAA' }),
  ] as const;
  assert.deepEqual(bodies.map(text), [
    '{"code":"0000","message":"","result":{"enc_partner_key":"k"}}',
    '{"code":"0000","message":""}',
    '{"code":"0000","message":"","result":{"acs_token":"a","expire_dt":"20260701120000","ptn_cd":"김"}}',
    '{"code":"0000","message":"","result":{"ptn_sp":"AAAA"}}',
  ]);
  assert.deepEqual(operations.token.readResponse(bodies[2]).result, issued);
});

describe('readTokenResponse', () => {
  const read = (result: object) =>
    operations.token.readResponse(
      encodeUtf8(JSON.stringify({ code: '0000', message: '', result })),
    );
  const right = { acs_token: 'a', expire_dt: '20260228235959', ptn_cd: 'u' };

  const wrong = [
    [{ expire_dt: '20260229000000' }, 'field-malformed', 'result.expire_dt'],
    [{ acs_token: '' }, 'field-malformed', 'result.acs_token'],
    [{ ptn_cd: '' }, 'field-malformed', 'result.ptn_cd'],
    [{ expire_dt: undefined }, 'field-missing', 'result.expire_dt'],
    [{ expire_dt: undefined, expires_in: 3600 }, 'field-misplaced', 'result.expire_dt'],
    [{ acs_token: undefined, access_token: 'a' }, 'field-misplaced', 'result.acs_token'],
    [{ ptn_cd: undefined, user_cd: 'u' }, 'field-misplaced', 'result.ptn_cd'],
  ] as const;
  it('names what is wrong with a field', () => {
    for (const [fields, ...expected] of wrong) {
      const { problem, result } = read({ ...right, ...fields });
      assert.ok(problem && 'field' in problem);
      assert.deepEqual([problem.kind, problem.field, result], [...expected, undefined]);
    }
  });

  it('still shows what could be read', () => {
    const { seen, problem } = read({ ...right, expire_dt: 20260701120000 });
    assert.deepEqual(seen, { acsToken: 'a', expireDt: '20260701120000', ptnCd: 'u' });
    assert.equal(problem?.kind, 'field-type');
  });
});

it('takes a ptn_sp in any encoding, and calls another text malformed without repeating it', () => {
  const read = (ptnSp: string) => {
    const body = operations.authenticate.encodeResponse({ ptnSp });
    return operations.authenticate.readResponse(body);
  };
  for (const ptnSp of ['q83v/w==', 'q83v_w', 'ABCDEF01', 'q83v\r\n/w==', '0a1B']) {
    assert.deepEqual(read(ptnSp).result, { ptnSp });
  }
  for (const sp of ['', ' ', 'my passcode!', 'secret-한글', 'AAAAA']) {
    const { problem } = read(sp);
    assert.equal(problem?.kind, 'field-malformed');
    if (sp.trim() !== '') assert.equal(JSON.stringify(problem).includes(sp), false);
  }
});

it('finds the access tokens in any body', () => {
  type Row = readonly [text: string, tokens: readonly string[]];
  for (const [text, tokens] of fixtureRows<Row>('readings/access-tokens.jsonl')) {
    assert.deepEqual(secretsInMessage({ body: Buffer.from(text) }), tokens);
  }
});

function same<T extends object>(reading: RequestReading<T>, value: T): void {
  assert.deepEqual(reading, { ok: true, value: { ...value }, unknownFields: {} });
}
