import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import { readAuthenticateResponse } from '../../src/protocol/authenticate.ts';
import {
  type KeyExchangeResult,
  readKeyExchangeResponse,
  readRegistrationResponse,
} from '../../src/protocol/callbacks.ts';
import {
  encodeNegativeResponse,
  type ResponseProblem,
  type ResponseReading,
  statusNote,
} from '../../src/protocol/response.ts';
import { isNearName } from '../../src/protocol/response-fields.ts';
import { readTokenResponse } from '../../src/protocol/token.ts';
import { fc } from '../support/fast-check.ts';

type Expected = Partial<ResponseProblem>;

const notJson = (reason: string, more: object = {}) =>
  ({ kind: 'not-json', reason, ...more }) as Expected;
const html = (title: string, jsonFollows = false): Expected => {
  return { kind: 'html-instead-of-json', title, jsonFollows };
};
const notSuccess = (value: string, message = ''): Expected => {
  return { kind: 'code-not-success', value, message };
};
const missing = (field: string, ...present: string[]): Expected => {
  return { kind: 'field-missing', field, present };
};
const misplaced = (field: string, foundAt: string): Expected => {
  return { kind: 'field-misplaced', field, foundAt };
};
const typed = (field: string, found: 'null' | 'array' | 'string', more: object = {}) =>
  ({ kind: 'field-type', field, found, ...more }) as Expected;
const notString = (found: 'number' | 'null', value: string): Expected => {
  return { kind: 'code-not-string', found, value };
};

const [key, inResult] = ['"enc_partner_key":"k"', 'result.enc_partner_key'];
const document = '<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head></html>';
const warning = '<br />\n<b>Warning</b>: Undefined variable $k\n{"code":"0000","message":""}';

/** Responses to a key exchange and the first fault that is named. */
const problems: readonly (readonly [body: string, problem: Expected])[] = [
  [' \r\n', { kind: 'empty-body', bytes: 3 }],

  [document, html('502 Bad Gateway')],
  ['\n<H1>Not Found</H1>\n', html('Not Found')],
  [warning, html('Warning : Undefined variable $k', true)],

  ['OK', notJson('plain-text', { near: 'OK' })],
  ['no {json} here', notJson('plain-text')],
  ['<response><code>0000</code></response>', notJson('xml')],
  ['<?xml version="1.0"?><code>0000</code>', notJson('xml')],
  ['code=0000&message=&result=', notJson('form-encoded')],
  ['code=0000', notJson('form-encoded')],
  [
    'DEBUG x\n{"code":"0000"}',
    notJson('leading-text', { place: { offset: 8, line: 2, column: 1 } }),
  ],
  [')]}\',\n{"code":"0000"}', notJson('leading-text')],
  [
    '{"code":"0000"}\nnull',
    notJson('trailing-text', { place: { offset: 16, line: 2, column: 1 } }),
  ],
  ['{"code":"0000"}{"code":"0000"}', notJson('trailing-text')],
  ['{"code":"0000","message":""', notJson('truncated')],
  [JSON.stringify('{"code":"0000"}'), notJson('json-in-json')],
  ['[{"code":"0000"}]', notJson('array', { detail: 'of 1' })],
  ['"0000"', notJson('scalar', { detail: 'string', near: '0000' })],
  ['null', notJson('scalar', { detail: 'null' })],
  ["{'code': '0000'}", notJson('single-quotes')],

  ['{"code":0,"message":""}', notString('number', '0')],
  ['{"code": 0000, "message": ""}', notString('number', '0000')],
  ['{"code":null}', notString('null', 'null')],

  ['{"code":"9999","message":"no"}', notSuccess('9999', 'no')],
  [`{"code":"success","message":"","result":{${key}}}`, notSuccess('success')],
  ['{"code":"0000 ","message":""}', notSuccess('0000 ')],

  [`{"message":"","result":{${key}}}`, missing('code', 'message', 'result')],
  ['{}', missing('code')],
  ['{"code":"0000","message":"","result":{"user":"u"}}', missing(inResult, 'user')],

  ['{"resultCode":"0000","message":""}', misplaced('code', 'resultCode')],
  ['{"data":{"code":"0000","message":""}}', misplaced('code', 'data.code')],
  ['{"statusCode":200,"body":"{\\"code\\":\\"0000\\"}"}', misplaced('code', 'body.code')],
  [`{"code":"0000","Result":{${key}}}`, misplaced('result', 'Result')],
  [`{"code":"0000","data":{${key}}}`, misplaced('result', 'data')],
  [`{"code":"0000","message":"",${key}}`, misplaced(inResult, 'enc_partner_key')],
  [
    `{"code":"0000","result":{"user":{${key}}}}`,
    misplaced(inResult, 'result.user.enc_partner_key'),
  ],
  [
    `{"code":"0000","message":"","result":{"__proto__":{${key}}}}`,
    misplaced(inResult, 'result.__proto__.enc_partner_key'),
  ],
  ...['encPartnerKey', 'enc_key', 'enc-partner-key', 'enc_parnter_key', 'encryptedKey'].map(
    (name) =>
      [
        `{"code":"0000","message":"","result":{"${name}":"k"}}`,
        misplaced(inResult, `result.${name}`),
      ] as const,
  ),

  ['{"code":"0000","message":""}', { kind: 'result-missing', isNull: false }],
  ['{"code":"0000","message":"","result":null}', { kind: 'result-missing', isNull: true }],

  [
    `{"code":"0000","result":${JSON.stringify(`{${key}}`)}}`,
    typed('result', 'string', { expected: 'object', jsonInString: true }),
  ],
  ['{"code":"0000","result":"k"}', typed('result', 'string', { jsonInString: false })],
  [`{"code":"0000","result":[{${key}}]}`, typed('result', 'array')],
  [
    '{"code":"0000","result":{"enc_partner_key":null}}',
    typed(inResult, 'null', { expected: 'string' }),
  ],
];

describe('readKeyExchangeResponse', () => {
  for (const [body, expected] of problems) {
    it(`names the fault ${expected.kind} of ${JSON.stringify(body)}`, () => {
      const { problem, result } = readKeyExchangeResponse(encodeUtf8(body));
      assert.deepEqual({ ...problem, ...expected }, problem);
      assert.equal(result, undefined);
    });
  }

  const right: readonly (readonly [body: string, notes: number])[] = [
    [`{"code":"0000","message":"","result":{${key}}}`, 0],
    [`\r\n{ "result" : {${key}},\t"message":"ok", "code":"\\u0030000" }\n`, 0],
    [`{"code":"0000","message":"","result":{${key},"encKey":"z"},"data":{}}`, 0],
    [`\ufeff{"code":"0000","message":"","result":{${key}}}`, 1],
    [`{"code":"0000","result":{${key}}}`, 1],
    [`{"code":"0000","message":null,"result":{${key}}}`, 1],
    [`{"code":"0000","message":"","x":1,"x":2,"result":{${key}}}`, 1],
  ];
  for (const [body, notes] of right) {
    it(`takes ${JSON.stringify(body)} with ${notes} notes`, () => {
      const reading = readKeyExchangeResponse(encodeUtf8(body));
      assert.equal(reading.problem, undefined);
      assert.deepEqual(reading.result, { encPartnerKey: 'k' });
      assert.equal(reading.code, '0000');
      assert.equal(reading.notes.length, notes);
    });
  }

  const ambiguous: readonly (readonly [field: string, body: string])[] = [
    ['code', `{"code":"0000","\\u0063ode":"0000","message":"","result":{${key}}}`],
    ['message', `{"code":"0000","message":"","message":"","result":{${key}}}`],
    ['result', `{"code":"0000","message":"","result":{},"result":{${key}}}`],
    [inResult, `{"code":"0000","message":"","result":{"enc_partner_key":"j",${key}}}`],
  ];
  for (const [field, body] of ambiguous) {
    it(`takes none with ${field} twice`, () => {
      const reading = readKeyExchangeResponse(encodeUtf8(body));
      const problem = { kind: 'not-json', reason: 'duplicate-name', detail: field, near: '' };
      assert.deepEqual(reading.problem, problem);
      assert.deepEqual([reading.result, reading.notes], [undefined, []]);
    });
  }

  it('reports what is wrong with message apart from the rest', () => {
    const of = (fields: object) =>
      readKeyExchangeResponse(encodeUtf8(JSON.stringify(fields))).messageProblem;
    assert.deepEqual(of({ code: '0000' }), { kind: 'message-missing' });
    assert.deepEqual(of({ code: '1', msg: 'no' }), { kind: 'message-missing', foundAt: 'msg' });
    assert.equal(of({ code: '1', message: 7 })?.kind, 'field-type');
    assert.equal(of({ code: '1', message: '' }), undefined);
  });

  // Section 4.2.2 rule 2: the result of a refusal is not used, not even shown.
  for (const [body, expected] of [
    [
      '{"code":0,"message":5,"encPartnerKey":"k"}',
      { code: '0', message: '5', seen: { encPartnerKey: 'k' } },
    ],
    ['{"code":0000}', { code: '0000', message: undefined, seen: {} }],
    [`{"code":"1","message":"","result":{${key}}}`, { code: '1', message: '', seen: {} }],
  ] as const) {
    it(`shows leniently what it judges strictly: ${body}`, () => {
      const { code, message, seen } = readKeyExchangeResponse(encodeUtf8(body));
      assert.deepEqual({ code, message, seen }, expected);
    });
  }

  it('returns unknown fields, and none of them does harm', () => {
    const inside = `{${key},"x":[3],"__proto__":4}`;
    const polluting = '"__proto__":{"polluted":1},"constructor":2';
    const body = `{"code":"0000","message":"",${polluting},"result":${inside}}`;
    const { unknownFields, result } = readKeyExchangeResponse(encodeUtf8(body));
    assert.deepEqual(Object.entries(unknownFields), [
      ['__proto__', { polluted: 1 }],
      ['constructor', 2],
      ['result.x', [3]],
      ['result.__proto__', 4],
    ]);
    assert.deepEqual(result, { encPartnerKey: 'k' });
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
  });

  it('carries no long run of characters out of a body that is not JSON', () => {
    const secret = 'q7TzWb3nX9mK2vR8cL5yD1fH6jP4sA0g';
    const cut = [`{"k":"${secret}`, `{"k":"${secret}"]`];
    const other = [`<html>${secret}</html>`, JSON.stringify(secret), `k=${secret}`];
    for (const body of [secret, ...cut, ...other]) {
      const { problem } = readKeyExchangeResponse(encodeUtf8(body));
      assert.doesNotMatch(JSON.stringify(problem), /q7TzWb/, body);
    }
  });

  it('survives deep, long and random bodies', () => {
    const long = { code: '0000', message: 'x'.repeat(1e7), result: 'y'.repeat(1e6) };
    const deep = ['{"result":'.repeat(100_000), '['.repeat(1e6), `<html>${'<'.repeat(1e6)}`];
    for (const body of [JSON.stringify(long), ...deep]) {
      assert.ok(readKeyExchangeResponse(encodeUtf8(body)).problem);
    }
    const readAll = (body: Uint8Array) => {
      for (const read of [readRegistrationResponse, readTokenResponse, readAuthenticateResponse]) {
        read(body);
      }
      readKeyExchangeResponse(body);
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 48 }), readAll));
    fc.assert(fc.property(fc.json().map(encodeUtf8), readAll));
  });

  it('sets a result exactly when there is no problem', () => {
    const value = fc.oneof(fc.constant('0000'), fc.string(), fc.jsonValue({ maxDepth: 2 }));
    const result = fc.oneof(value, fc.record({ enc_partner_key: value }));
    const responses = fc.record({ code: value, message: value, result }, { requiredKeys: [] });
    fc.assert(
      fc.property(responses, (response) => {
        const reading = readKeyExchangeResponse(encodeUtf8(JSON.stringify(response)));
        assert.equal(reading.result === undefined, reading.problem !== undefined);
        if (reading.result) assertRight(response, reading);
      }),
    );
  });
});

function assertRight(
  { code, result }: { code?: unknown; result?: unknown },
  reading: ResponseReading<KeyExchangeResult>,
): void {
  assert.equal(code, '0000');
  const { enc_partner_key } = result as { enc_partner_key?: unknown };
  assert.equal(reading.result?.encPartnerKey, enc_partner_key);
}

describe('readRegistrationResponse', () => {
  it('needs no result and ignores any', () => {
    for (const result of [undefined, null, {}, 'x']) {
      const body = JSON.stringify({ code: '0000', message: '', result });
      const reading = readRegistrationResponse(encodeUtf8(body));
      assert.deepEqual([reading.result, reading.problem, reading.notes], [{}, undefined, []]);
    }
  });

  it('takes no other code for success', () => {
    for (const code of ['', '0', '00000', '0001', 'OK']) {
      const { problem } = readRegistrationResponse(encodeNegativeResponse({ code, message: 'no' }));
      assert.deepEqual(problem, { kind: 'code-not-success', value: code, message: 'no' });
    }
  });
});

describe('statusNote', () => {
  for (const [code, status, noted] of [
    ['0000', 201, false],
    ['0000', 302, true],
    ['0000', 500, true],
    ['9999', 500, false],
  ] as const) {
    it(`${noted ? 'notes' : 'accepts'} code ${code} under status ${status}`, () => {
      assert.equal(statusNote({ code }, status) !== undefined, noted);
    });
  }
});

describe('isNearName', () => {
  for (const [found, wanted, expected] of [
    ['Enc-Partner Key', 'enc_partner_key', true],
    ['enc_partner_keys', 'enc_partner_key', true],
    ['enc_parnter_key', 'enc_partner_key', true],
    ['expired_dt', 'expire_dt', true],
    ['CODE', 'code', true],
    ['mode', 'code', false],
    ['ptn_cd', 'ptn_sp', false],
    ['ptn_token', 'acs_token', false],
    ['', 'code', false],
    [`enc_partner_key${'_'.repeat(100)}`, 'enc_partner_key', false],
    ['result-code', 'code', true],
    ['result-codes', 'code', false],
  ] as const) {
    it(`${expected ? 'takes' : 'does not take'} ${found.slice(0, 20)} for ${wanted}`, () => {
      assert.equal(isNearName(found, wanted, ['resultCode']), expected);
    });
  }
});
