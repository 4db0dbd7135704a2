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
import { readTokenResponse } from '../../src/protocol/token.ts';
import { fc } from '../support/fast-check.ts';

/** Responses to a key exchange and the first fault that is named. */
const problems: readonly (readonly [
  what: string,
  body: string,
  problem: Partial<ResponseProblem>,
])[] = [
  ['nothing', '', { kind: 'empty-body', bytes: 0 }],
  ['white space', ' \r\n', { kind: 'empty-body', bytes: 3 }],

  [
    'an error page',
    '<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body><h1>x</h1></body></html>',
    { kind: 'html-instead-of-json', title: '502 Bad Gateway', jsonFollows: false },
  ],
  [
    'a heading alone',
    '\n<H1>Not Found</H1>\n',
    { kind: 'html-instead-of-json', title: 'Not Found', jsonFollows: false },
  ],
  [
    'a PHP warning before the JSON',
    '<br />\n<b>Warning</b>: Undefined variable $k\n{"code":"0000","message":""}',
    { kind: 'html-instead-of-json', title: 'Warning : Undefined variable $k', jsonFollows: true },
  ],

  ['text', 'OK', { kind: 'not-json', reason: 'plain-text', near: 'OK' }],
  ['text that speaks of JSON', 'no {json} here', { kind: 'not-json', reason: 'plain-text' }],
  ['XML', '<response><code>0000</code></response>', { kind: 'not-json', reason: 'xml' }],
  ['declared XML', '<?xml version="1.0"?><code>0000</code>', { kind: 'not-json', reason: 'xml' }],
  ['a form', 'code=0000&message=&result=', { kind: 'not-json', reason: 'form-encoded' }],
  ['a form of one field', 'code=0000', { kind: 'not-json', reason: 'form-encoded' }],
  [
    'a log line before the JSON',
    'DEBUG x\n{"code":"0000"}',
    { kind: 'not-json', reason: 'leading-text', place: { offset: 8, line: 2, column: 1 } },
  ],
  [
    'a guard before the JSON',
    ')]}\',\n{"code":"0000"}',
    { kind: 'not-json', reason: 'leading-text' },
  ],
  [
    'text behind the JSON',
    '{"code":"0000"}\nnull',
    { kind: 'not-json', reason: 'trailing-text', place: { offset: 16, line: 2, column: 1 } },
  ],
  ['JSON twice', '{"code":"0000"}{"code":"0000"}', { kind: 'not-json', reason: 'trailing-text' }],
  ['cut JSON', '{"code":"0000","mess', { kind: 'not-json', reason: 'truncated' }],
  [
    'JSON without its last brace',
    '{"code":"0000","message":""',
    { kind: 'not-json', reason: 'truncated' },
  ],
  [
    'a JSON string of JSON',
    JSON.stringify('{"code":"0000"}'),
    { kind: 'not-json', reason: 'json-in-json' },
  ],
  ['a JSON array', '[{"code":"0000"}]', { kind: 'not-json', reason: 'array', detail: 'of 1' }],
  [
    'a JSON string',
    '"0000"',
    { kind: 'not-json', reason: 'scalar', detail: 'string', near: '0000' },
  ],
  ['null', 'null', { kind: 'not-json', reason: 'scalar', detail: 'null' }],
  ['a Python dictionary', "{'code': '0000'}", { kind: 'not-json', reason: 'single-quotes' }],

  [
    'the number 0',
    '{"code":0,"message":""}',
    { kind: 'code-not-string', found: 'number', value: '0' },
  ],
  [
    'the digits 0000',
    '{"code": 0000, "message": ""}',
    { kind: 'code-not-string', found: 'number', value: '0000' },
  ],
  ['null as code', '{"code":null}', { kind: 'code-not-string', found: 'null', value: 'null' }],

  [
    'a refusal',
    '{"code":"9999","message":"no"}',
    { kind: 'code-not-success', value: '9999', message: 'no' },
  ],
  [
    'success in other words',
    '{"code":"success","message":"","result":{"enc_partner_key":"k"}}',
    { kind: 'code-not-success', value: 'success', message: '' },
  ],
  [
    '0000 and a space',
    '{"code":"0000 ","message":""}',
    { kind: 'code-not-success', value: '0000 ', message: '' },
  ],

  [
    'no code',
    '{"message":"","result":{"enc_partner_key":"k"}}',
    { kind: 'field-missing', field: 'code', present: ['message', 'result'] },
  ],
  ['an empty object', '{}', { kind: 'field-missing', field: 'code', present: [] }],
  [
    'no key in the result',
    '{"code":"0000","message":"","result":{"user":"u"}}',
    { kind: 'field-missing', field: 'result.enc_partner_key', present: ['user'] },
  ],

  [
    'resultCode',
    '{"resultCode":"0000","message":""}',
    { kind: 'field-misplaced', field: 'code', foundAt: 'resultCode' },
  ],
  [
    'all inside data',
    '{"data":{"code":"0000","message":""}}',
    { kind: 'field-misplaced', field: 'code', foundAt: 'data.code' },
  ],
  [
    'JSON in a body field',
    '{"statusCode":200,"body":"{\\"code\\":\\"0000\\"}"}',
    { kind: 'field-misplaced', field: 'code', foundAt: 'body.code' },
  ],
  [
    'Result',
    '{"code":"0000","Result":{"enc_partner_key":"k"}}',
    { kind: 'field-misplaced', field: 'result', foundAt: 'Result' },
  ],
  [
    'data',
    '{"code":"0000","data":{"enc_partner_key":"k"}}',
    { kind: 'field-misplaced', field: 'result', foundAt: 'data' },
  ],
  [
    'the key at the top',
    '{"code":"0000","message":"","enc_partner_key":"k"}',
    { kind: 'field-misplaced', field: 'result.enc_partner_key', foundAt: 'enc_partner_key' },
  ],
  [
    'the key too deep',
    '{"code":"0000","result":{"user":{"enc_partner_key":"k"}}}',
    {
      kind: 'field-misplaced',
      field: 'result.enc_partner_key',
      foundAt: 'result.user.enc_partner_key',
    },
  ],
  ...[
    'encPartnerKey',
    'EncPartnerKey',
    'enc_key',
    'encPartner_key',
    'ENC_PARTNER_KEY',
    'enc-partner-key',
    'enc_parnter_key',
    'encryptedKey',
  ].map(
    (name) =>
      [
        name,
        JSON.stringify({ code: '0000', message: '', result: { [name]: 'k' } }),
        { kind: 'field-misplaced', field: 'result.enc_partner_key', foundAt: `result.${name}` },
      ] as const,
  ),

  ['no result', '{"code":"0000","message":""}', { kind: 'result-missing', isNull: false }],
  [
    'a result of null',
    '{"code":"0000","message":"","result":null}',
    { kind: 'result-missing', isNull: true },
  ],

  [
    'a result of JSON in a string',
    '{"code":"0000","result":"{\\"enc_partner_key\\":\\"k\\"}"}',
    {
      kind: 'field-type',
      field: 'result',
      expected: 'object',
      found: 'string',
      jsonInString: true,
    },
  ],
  [
    'a result that is the key',
    '{"code":"0000","result":"k"}',
    { kind: 'field-type', field: 'result', found: 'string', jsonInString: false },
  ],
  [
    'a result of a list',
    '{"code":"0000","result":[{"enc_partner_key":"k"}]}',
    { kind: 'field-type', field: 'result', found: 'array' },
  ],
  [
    'a key of null',
    '{"code":"0000","result":{"enc_partner_key":null}}',
    { kind: 'field-type', field: 'result.enc_partner_key', expected: 'string', found: 'null' },
  ],
  [
    'a key of bytes',
    '{"code":"0000","result":{"enc_partner_key":[1,2]}}',
    { kind: 'field-type', field: 'result.enc_partner_key', found: 'array' },
  ],
];

describe('readKeyExchangeResponse', () => {
  for (const [what, body, expected] of problems) {
    it(`names the fault of ${what}`, () => {
      const { problem, result } = readKeyExchangeResponse(encodeUtf8(body));
      assert.deepEqual({ ...problem, ...expected }, problem);
      assert.equal(result, undefined);
    });
  }

  const right: readonly (readonly [what: string, body: string, notes: number])[] = [
    ['to the letter', '{"code":"0000","message":"","result":{"enc_partner_key":"k"}}', 0],
    [
      'in another order and style',
      '\r\n{ "result" : {"enc_partner_key":"k"},\t"message":"ok", "code":"\\u0030000" }\n',
      0,
    ],
    [
      'with more fields',
      '{"code":"0000","message":"","result":{"enc_partner_key":"k","encKey":"z"},"data":{}}',
      0,
    ],
    [
      'with a byte order mark',
      '\ufeff{"code":"0000","message":"","result":{"enc_partner_key":"k"}}',
      1,
    ],
    ['without message', '{"code":"0000","result":{"enc_partner_key":"k"}}', 1],
    [
      'with a message of null',
      '{"code":"0000","message":null,"result":{"enc_partner_key":"k"}}',
      1,
    ],
    [
      'with an unknown field twice',
      '{"code":"0000","message":"","x":1,"x":2,"result":{"enc_partner_key":"k"}}',
      1,
    ],
  ];
  for (const [what, body, notes] of right) {
    it(`takes a response ${what}`, () => {
      const reading = readKeyExchangeResponse(encodeUtf8(body));
      assert.equal(reading.problem, undefined);
      assert.deepEqual(reading.result, { encPartnerKey: 'k' });
      assert.equal(reading.code, '0000');
      assert.equal(reading.notes.length, notes);
    });
  }

  const ambiguous: readonly (readonly [field: string, body: string])[] = [
    ['code', '{"code":"1","code":"0000","message":"","result":{"enc_partner_key":"k"}}'],
    ['code', '{"code":"0000","\\u0063ode":"0000","message":"","result":{"enc_partner_key":"k"}}'],
    ['message', '{"code":"0000","message":"","message":"","result":{"enc_partner_key":"k"}}'],
    ['result', '{"code":"0000","message":"","result":{},"result":{"enc_partner_key":"k"}}'],
    [
      'result.enc_partner_key',
      '{"code":"0000","message":"","result":{"enc_partner_key":"j","enc_partner_key":"k"}}',
    ],
  ];
  for (const [field, body] of ambiguous) {
    it(`takes none with ${field} twice: ${body.slice(0, 24)}`, () => {
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

  it('shows leniently what it judges strictly', () => {
    const shown = (body: string) => {
      const { code, message, seen } = readKeyExchangeResponse(encodeUtf8(body));
      return { code, message, seen };
    };
    assert.deepEqual(shown('{"code":0,"message":5,"encPartnerKey":"k"}'), {
      code: '0',
      message: '5',
      seen: { encPartnerKey: 'k' },
    });
    assert.deepEqual(shown('{"code":0000}'), { code: '0000', message: undefined, seen: {} });
    // Section 4.2.2 rule 2: the result of a refusal is not used, not even shown.
    const refused = shown('{"code":"1","message":"","result":{"enc_partner_key":"k"}}');
    assert.deepEqual(refused.seen, {});
  });

  it('keeps unknown fields, and none of them does harm', () => {
    const body =
      '{"code":"0000","message":"","__proto__":{"polluted":1},"constructor":2,"result":{"enc_partner_key":"k","x":[3],"__proto__":4}}';
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

  it('finds no field in what every object inherits', () => {
    const body = encodeUtf8(
      '{"code":"0000","message":"","result":{"__proto__":{"enc_partner_key":"k"}}}',
    );
    assert.equal(readKeyExchangeResponse(body).problem?.kind, 'field-misplaced');
  });

  it('carries no long run of characters out of a body that is not JSON', () => {
    const key = 'q7TzWb3nX9mK2vR8cL5yD1fH6jP4sA0g';
    const bodies = [
      key,
      `{"k":"${key}`,
      `{"k":"${key}"]`,
      `<html>${key}</html>`,
      JSON.stringify(key),
      `k=${key}`,
    ];
    for (const body of bodies) {
      const { problem } = readKeyExchangeResponse(encodeUtf8(body));
      assert.doesNotMatch(JSON.stringify(problem), /q7TzWb/, body);
    }
  });

  it('survives deep, long and random bodies', () => {
    const long = JSON.stringify({
      code: '0000',
      message: 'x'.repeat(1e7),
      result: 'y'.repeat(1e6),
    });
    const bodies = [
      '{"result":'.repeat(100_000),
      '['.repeat(1e6),
      long,
      `<html>${'<'.repeat(1e6)}`,
    ];
    for (const body of bodies) assert.ok(readKeyExchangeResponse(encodeUtf8(body)).problem);
    fc.assert(fc.property(fc.uint8Array({ maxLength: 48 }), (body) => void readAll(body)));
    fc.assert(fc.property(fc.json(), (json) => void readAll(encodeUtf8(json))));
  });

  it('sets a result exactly when there is no problem', () => {
    const value = fc.oneof(fc.constant('0000'), fc.string(), fc.jsonValue({ maxDepth: 2 }));
    const responses = fc.record(
      {
        code: value,
        message: value,
        result: fc.oneof(value, fc.record({ enc_partner_key: value })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(responses, (response) => {
        const reading = readKeyExchangeResponse(encodeUtf8(JSON.stringify(response)));
        assert.equal(reading.result === undefined, reading.problem !== undefined);
        if (reading.result) assert.ok(isRight(response, reading));
      }),
    );
  });
});

describe('readRegistrationResponse', () => {
  it('needs no result and minds none', () => {
    for (const result of [undefined, null, {}, 'x']) {
      const reading = readRegistrationResponse(
        encodeUtf8(JSON.stringify({ code: '0000', message: '', result })),
      );
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
  const notes: readonly (readonly [string, number, boolean])[] = [
    ['0000', 200, false],
    ['0000', 201, false],
    ['0000', 302, true],
    ['0000', 500, true],
    ['9999', 200, false],
    ['9999', 500, false],
  ];
  for (const [code, status, noted] of notes) {
    it(`${noted ? 'notes' : 'does not mind'} code ${code} under status ${status}`, () => {
      assert.equal(statusNote({ code }, status) !== undefined, noted);
    });
  }
});

function readAll(body: Uint8Array): void {
  for (const read of [
    readKeyExchangeResponse,
    readRegistrationResponse,
    readTokenResponse,
    readAuthenticateResponse,
  ])
    read(body);
}

function isRight(
  response: { code?: unknown; result?: unknown },
  reading: ResponseReading<KeyExchangeResult>,
): boolean {
  const key = (response.result as { enc_partner_key?: unknown }).enc_partner_key;
  return (
    response.code === '0000' && typeof key === 'string' && key === reading.result?.encPartnerKey
  );
}
