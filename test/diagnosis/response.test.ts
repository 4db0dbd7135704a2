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
import { readAuthenticateResponse } from '../../src/protocol/authenticate.ts';
import { readKeyExchangeResponse } from '../../src/protocol/callbacks.ts';
import { readTokenResponse } from '../../src/protocol/token.ts';

const right = '{"code":"0000","message":"","result":{"enc_partner_key":"q83v"}}';
const result = (fields: string) => `{"code":"0000","message":"","result":{${fields}}}`;
const token = (expireDt: string, user = 'u') =>
  result(`"acs_token":"a","expire_dt":"${expireDt}","ptn_cd":"${user}"`);
const exchange = readKeyExchangeResponse;
const signin = readTokenResponse;

type Read = typeof exchange | typeof signin | typeof readAuthenticateResponse;

function diagnose(
  body: string | Uint8Array,
  facts: ResponseFacts = { status: 200 },
  read: Read = exchange,
): Diagnosis | undefined {
  const { problem } = read(typeof body === 'string' ? encodeUtf8(body) : body);
  return problem && diagnoseResponse(problem, facts);
}

const refusal = '{"code":"9000","message":"refused\\u001b[31m"}';
const invented = { status: 400, clientId: 'shop\u001b', inventsUser: true };
const buffer = '"enc_partner_key":{"type":"Buffer","data":[1]}';

type Row = readonly [
  body: string | Uint8Array,
  message: RegExp,
  hint: RegExp,
  facts?: number | ResponseFacts,
  read?: Read,
];

/** By code, wrong responses and what is said of them; the right neighbours are below. */
const cases: Readonly<Record<string, readonly Row[]>> = {
  'empty-body': [
    ['', /^Expected a JSON object; the body of .* is empty \(status 200\)\.$/, /returns nothing/],
    ['', /empty \(status 405\)/, /POST isn't handled/, 405],
    ['\r\n', /only white space \(2 bytes\)/, /Write the JSON object/],
  ],
  'html-instead-of-json': [
    ['<html><title>Oops</title>', /an HTML page: "Oops" \(status 502\)\.$/, /proxy responded/, 502],
    ['<!doctype html><body></body>', /HTML page \(status 200\)\.$/, /is that of a web page/],
    [`<b>Notice</b>: x\n${right}`, /HTML comes before it: "Notice : x"/, /display_errors = Off/],
  ],
  'not-json': [
    [Buffer.from(right, 'utf16le'), /is encoded in UTF-16LE: \{"code"/, /Charsets\.UTF_8/],
    [Buffer.from('1f8b0800', 'hex'), /compressed \(gzip\) without a Content-E/, /Content-Encoding/],
    [Buffer.from('{"message":"é"}', 'latin1'), /\(byte 0xe9 at offset 12\)/, /Latin-1 or EUC-KR/],
    [right.replace('"c', '"code":"1","c'), /code more than once, and parsers/, /Send each field/],
    [right.slice(0, 40), /in the middle of the JSON at line 1, column 41/, /instead of bytes/],
    [`${right}${right}`, /continues after .* JSON at line 1, column 65/, /second write/],
    [`Warning: x\n${right}`, /text before the .* line 2, column 1: Warning: x\\n/, /to a log/],
    ['{"code":"0000","n":007}', /a number with leading zeros/, /as a string/],
    ['{"code" "0000"}', /is not valid JSON/, /JSON library/],
    ['['.repeat(2000), /nested deeper than 1000 levels/, /contains itself/],
    [`[${right}]`, /is a JSON array \(of 1\)/, /not an array/],
    ['true', /is only a JSON boolean: true/, /an object with code/],
    [JSON.stringify(right), /serialised twice/, /Serialise once/],
    ['OK', /text: OK \(status 200\) as x\.$/, /the JSON object/, { status: 200, contentType: 'x' }],
    ['Forbidden', /plain text: Forbidden \(status 403\)/, /CSRF/, 403],
  ],
  'code-not-string': [
    ['{"code":0}', /^Expected code as a string; it is a number 0\.$/, /"code": "0000"/],
    ['{"code":0000}', /number 0000, which is not JSON either\.$/, /leading zeros/],
    ['{"code":null}', /it is null\.$/, /quotation marks/],
    ['{"code":{"value":"0000"}}', /it is an object\.$/, /quotation marks/],
  ],
  'code-not-success': [
    [refusal, /"0000"; .*"9000", with the message "refused\\u001b\[31m" \(s/, /at that time\.$/],
    [refusal, /code "9000"/, /client_id was "shop\\u001b", and the ptn_cd was invented/, invented],
    [refusal, /code "9000"/, /was "shop": if the .* that\.$/, { status: 400, clientId: 'shop' }],
    ['{"code":"OK"}', /code "OK"/, /as a string\.$/, { status: 200, clientId: 'shop' }],
    [
      '{"code":"E1","message":" "}',
      /^Refused, without a reason: .* code "E1"/,
      /send it as "message"/,
    ],
    ['{"code":"200","message":""}', /code "200", without a message/, /intended as success/],
  ],
  'result-missing': [
    ['{"code":"0000","message":""}', /it is missing/, /an object named "result"/],
    ['{"code":"0000","message":"","result":null}', /it is null/, /only an error response may omit/],
  ],
  'field-missing': [
    ['{}', /^Expected the field code; the response is empty\.$/, /^Send "code" .*, as a string\.$/],
    [result('"user":"u","at":1'), /result\.enc_partner_key; result has "user", "at"\.$/, /null/],
    // errors that frameworks write, with their HTTP status
    ['{"title":"Unsupported Media Type","status":415}', /status 415/, /consume JSON/, 415],
  ],
  'field-misplaced': [
    ['{"code":"0000","enc_partner_key":"q"}', /be at "enc_partner_key"\.$/, /it inside "result"/],
    [result('"encPartnerKey":"q83v"'), /at "result\.encPartnerKey"/, /^Call it .*@Json.*\)\.$/],
    ['{"code":"0000","encPartnerKey":"q"}', /at "encPartnerKey"/, /^Call it .*, and put it in/],
    ['{"data":{"code":"0000"}}', /field code; .* "data\.code"/, /^Put it at the top of the resp/],
  ],
  'field-type': [
    ['{"code":"0000","result":"{\\"a\\":1}"}', /a string with JSON inside\.$/, /serialise once/],
    ['{"code":"0000","result":[]}', /result as an object; it is an array\.$/, /"result": \{/],
    [result('"enc_partner_key":null'), /_key as a string; it is null\.$/, /gets lost/],
    [result(buffer), /it is an object/, /toString\("base64"\)/],
    [result('"acs_token":7'), /result\.acs_token .* a number/, /quotation marks/, 200, signin],
  ],
  'field-malformed': [
    [token('2026-07-01T12:00'), /yyyyMMddHH24miss; it is 16 char/, /"yyyyMMddHHmmss"/, 200, signin],
    [token('20260701240000'), /14 digits that are not a date/, /from 00 to 23/, 200, signin],
    [token('20260701120000', ''), /ptn_cd .* an empty string/, /not be empty/, 200, signin],
    [result('"ptn_sp":"a b!"'), /4 characters with/, /never the p/, 200, readAuthenticateResponse],
  ],
};

describe('diagnoseResponse', () => {
  for (const [code, rows] of Object.entries(cases)) {
    it(`says ${code}`, () => {
      for (const [body, message, hint, facts = 200, read = exchange] of rows) {
        const found = diagnose(body, typeof facts === 'number' ? { status: facts } : facts, read);
        assert.equal(found?.code, code, message.source);
        assert.match(found.message, message);
        assert.match(found.hint, hint);
        assert.doesNotMatch(found.message + found.hint, /[\p{Cc}\p{Bidi_Control}\p{Cs}]/u);
      }
    });
  }

  it('blames nothing in what is right, or near it', () => {
    const rows: readonly (readonly [string, Read])[] = [
      [`\ufeff ${right}\n`, exchange],
      [right.replace('"q83v"', '"<html>"'), exchange],
      [right.replace('""', '"not {json}, code=1"'), exchange],
      [result('"enc_partner_key":"q83v","enc_key":null,"key":7'), exchange],
      [token('20240229235959'), signin],
      [result('"ptn_sp":"0a1B"'), readAuthenticateResponse],
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
