import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import {
  diagnoseContentType,
  diagnoseResponse,
  type ResponseFacts,
} from '../../src/diagnosis/response.ts';
import type { Diagnosis, DiagnosisCode } from '../../src/errors.ts';
import { readAuthenticateResponse } from '../../src/protocol/authenticate.ts';
import { readKeyExchangeResponse } from '../../src/protocol/callbacks.ts';
import { readTokenResponse } from '../../src/protocol/token.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';

type Read =
  | typeof readKeyExchangeResponse
  | typeof readTokenResponse
  | typeof readAuthenticateResponse;

interface Case {
  readonly code: DiagnosisCode;
  readonly body: string | Uint8Array;
  readonly message: string | RegExp;
  readonly hint: RegExp;
  readonly facts?: ResponseFacts;
  readonly read?: Read;
}

const right = '{"code":"0000","message":"","result":{"enc_partner_key":"q83v"}}';
const result = (fields: string) => `{"code":"0000","message":"","result":{${fields}}}`;
const token = (expireDt: string) =>
  result(`"acs_token":"a","expire_dt":${JSON.stringify(expireDt)},"ptn_cd":"u"`);

/** Errors that frameworks write, with their HTTP status. */
const frameworkErrors: readonly (readonly [number, string, RegExp])[] = [
  [404, '{"timestamp":"2026","status":404,"error":"Not Found","path":"/cb"}', /check the URL/],
  [405, '{"timestamp":"2026","status":405,"error":"Method Not Allowed"}', /accept POST/],
  [404, '{"message":"Cannot POST /cb","error":"Not Found","statusCode":404}', /check the URL/],
  [415, '{"type":"about:blank","title":"Unsupported Media Type","status":415}', /consume JSON/],
  [401, '{"message":"Unauthenticated."}', /asks for a login/],
  [403, '{"detail":"You do not have permission."}', /CSRF protection/],
  [500, '{"status":500,"error":"Internal Server Error"}', /stack trace/],
];

/** At least two wrong responses for each code; the right neighbours are below. */
const cases: readonly Case[] = [
  ...frameworkErrors.map(([status, body, hint]) => ({
    ...{ code: 'field-missing' as const, body, hint, facts: { status } },
    message: new RegExp(`^Expected the field code; the response has .*\\(status ${status}\\)\\.$`),
  })),
  {
    code: 'empty-body',
    body: '',
    message: 'Expected a JSON object; the body of the response is empty (status 200).',
    hint: /returns nothing/,
  },
  {
    code: 'empty-body',
    body: '',
    facts: { status: 405 },
    message: /empty \(status 405\)/,
    hint: /accept POST/,
  },
  {
    code: 'empty-body',
    body: '\r\n',
    message: /only white space \(2 bytes\)/,
    hint: /Write the JSON object/,
  },

  {
    code: 'html-instead-of-json',
    body: '<html><title>502 Bad Gateway</title>',
    facts: { status: 502 },
    message:
      'Expected a JSON object; the response is an HTML page: "502 Bad Gateway" (status 502).',
    hint: /proxy responded/,
  },
  {
    code: 'html-instead-of-json',
    body: '<!doctype html><body></body>',
    message: 'Expected a JSON object; the response is an HTML page (status 200).',
    hint: /is that of a web page/,
  },
  {
    code: 'html-instead-of-json',
    body: `<b>Notice</b>: x\n${right}`,
    message: /HTML comes before it: "Notice : x"/,
    hint: /display_errors = Off/,
  },

  {
    code: 'not-json',
    body: Buffer.from(right, 'utf16le'),
    message: /the body is encoded in UTF-16LE: \{"code"/,
    hint: /StandardCharsets\.UTF_8/,
  },
  {
    code: 'not-json',
    body: Buffer.from('7b00000022000000', 'hex'),
    message: /is encoded in UTF-32LE \(status/,
    hint: /UTF-8/,
  },
  {
    code: 'not-json',
    body: Buffer.from('1f8b0800', 'hex'),
    message: /is compressed \(gzip\) without a Content-Encoding header/,
    hint: /Content-Encoding/,
  },
  {
    code: 'not-json',
    body: Buffer.from('{"message":"é"}', 'latin1'),
    message: /is not UTF-8 \(byte 0xe9 at offset 12\)/,
    hint: /Latin-1 or EUC-KR/,
  },
  {
    code: 'not-json',
    body: right.replace('"code"', '"code":"1","code"'),
    message: /has the field code more than once, and parsers differ/,
    hint: /Send each field once/,
  },
  {
    code: 'not-json',
    body: right.slice(0, 40),
    message: /ends in the middle of the JSON at line 1, column 41/,
    hint: /characters instead of bytes/,
  },
  {
    code: 'not-json',
    body: `${right}${right}`,
    message: /continues after the end of the JSON at line 1, column 65/,
    hint: /second write/,
  },
  {
    code: 'not-json',
    body: `Warning: x\n${right}`,
    message: /has text before the JSON at line 2, column 1: Warning: x\\n/,
    hint: /to a log/,
  },
  {
    code: 'not-json',
    body: '{"code":"0000",}',
    message: /a comma before a closing bracket at line 1, column 16/,
    hint: /JSON library/,
  },
  {
    code: 'not-json',
    body: "{'code': '0000'}",
    message: /has single quotes at line 1, column 2/,
    hint: /json\.dumps/,
  },
  {
    code: 'not-json',
    body: '{code: "0000"}',
    message: /a name without quotation marks/,
    hint: /JSON library/,
  },
  {
    code: 'not-json',
    body: '{"code":"0000" // yes\n}',
    message: /a comment/,
    hint: /JSON library/,
  },
  {
    code: 'not-json',
    body: '{"code":"0000","result":None}',
    message: /a word that is not valid JSON/,
    hint: /but not None/,
  },
  {
    code: 'not-json',
    body: '{"code":"0000","n":007}',
    message: /a number with leading zeros/,
    hint: /as a string/,
  },
  {
    code: 'not-json',
    body: '{"message":"a\nb"}',
    message: /a control character inside a string at line 1, column 14: \{"message":"a\\nb"\}/,
    hint: /must be escaped/,
  },
  {
    code: 'not-json',
    body: '{"message":"\\x41"}',
    message: /an invalid escape sequence/,
    hint: /JSON library/,
  },
  {
    code: 'not-json',
    body: '{"code" "0000"}',
    message: /is not valid JSON/,
    hint: /JSON library/,
  },
  {
    code: 'not-json',
    body: '['.repeat(2000),
    message: /nested deeper than 1000 levels/,
    hint: /contains itself/,
  },
  {
    code: 'not-json',
    body: `[${right}]`,
    message: /is a JSON array \(of 1\)/,
    hint: /not an array/,
  },
  {
    code: 'not-json',
    body: 'true',
    message: /is only a JSON boolean: true/,
    hint: /an object with code/,
  },
  {
    code: 'not-json',
    body: JSON.stringify(right),
    message: /serialised twice/,
    hint: /Serialise once/,
  },
  {
    code: 'not-json',
    body: 'code=0000&message=',
    message: /is form-encoded/,
    hint: /Respond with JSON/,
  },
  { code: 'not-json', body: '<r><code>0000</code></r>', message: /is XML/, hint: /produces/ },
  {
    code: 'not-json',
    body: 'OK',
    facts: { status: 200, contentType: 'text/plain' },
    message: 'Expected a JSON object; the body is plain text: OK (status 200) as text/plain.',
    hint: /the JSON object of the interface/,
  },
  {
    code: 'not-json',
    body: 'Forbidden',
    facts: { status: 403 },
    message: /plain text: Forbidden \(status 403\)/,
    hint: /CSRF/,
  },

  {
    code: 'code-not-string',
    body: '{"code":0,"message":""}',
    message: 'Expected code as a string; it is a number 0.',
    hint: /"code": "0000"/,
  },
  {
    code: 'code-not-string',
    body: '{"code":0000}',
    message: 'Expected code as a string; it is a number 0000, which is not JSON either.',
    hint: /leading zeros/,
  },
  {
    code: 'code-not-string',
    body: '{"code":null}',
    message: 'Expected code as a string; it is null.',
    hint: /quotation marks/,
  },
  {
    code: 'code-not-string',
    body: '{"code":{"value":"0000"}}',
    message: 'Expected code as a string; it is an object.',
    hint: /quotation marks/,
  },

  {
    code: 'code-not-success',
    body: '{"code":"9999","message":"unknown\\u001b[31m user"}',
    message:
      'Expected code "0000"; the response has code "9999", with the message "unknown\\u001b[31m user" (status 200).',
    hint: /The request was refused or failed; check the message, and the server's log at that time\.$/,
  },
  {
    code: 'code-not-success',
    body: '{"code":"9000","message":"refused"}',
    facts: { status: 400, clientId: 'shop\u001b', inventsUser: true },
    message: /code "9000"/,
    hint: /The client_id was "shop\\u001b", and the ptn_cd was invented: if/,
  },
  {
    code: 'code-not-success',
    body: '{"code":"9000","message":"refused"}',
    facts: { status: 400, clientId: 'shop' },
    message: /code "9000"/,
    hint: /The client_id was "shop": if the application has another, pass that\.$/,
  },
  {
    code: 'code-not-success',
    body: '{"code":"OK","message":""}',
    facts: { status: 200, clientId: 'shop' },
    message: /code "OK"/,
    hint: /as a string\.$/,
  },
  {
    code: 'code-not-success',
    body: '{"code":"200","message":""}',
    message: /code "200", without a message/,
    hint: /intended as success/,
  },
  {
    code: 'code-not-success',
    body: '{"code":"SUCCESS"}',
    message: /code "SUCCESS"/,
    hint: /exactly these four digits/,
  },

  {
    code: 'result-missing',
    body: '{"code":"0000","message":""}',
    message: /it is missing/,
    hint: /an object named "result"/,
  },
  {
    code: 'result-missing',
    body: '{"code":"0000","message":"","result":null}',
    message: /it is null/,
    hint: /only an error response may omit it/,
  },

  {
    code: 'field-missing',
    body: '{}',
    message: 'Expected the field code; the response is empty.',
    hint: /^Send "code" in the response, as a string\.$/,
  },
  {
    code: 'field-missing',
    body: result('"user":"u","at":1'),
    message: 'Expected the field result.enc_partner_key; result has "user", "at".',
    hint: /^Send "enc_partner_key" in result.*null/,
  },

  {
    code: 'field-misplaced',
    body: '{"code":"0000","enc_partner_key":"q83v"}',
    message: 'Expected the field result.enc_partner_key; it seems to be at "enc_partner_key".',
    hint: /^Put it inside "result"\.$/,
  },
  {
    code: 'field-misplaced',
    body: result('"encPartnerKey":"q83v"'),
    message: /at "result\.encPartnerKey"/,
    hint: /^Call it "enc_partner_key" on the wire \(Jackson @JsonProperty\("enc_partner_key"\).*\)\.$/,
  },
  {
    code: 'field-misplaced',
    body: '{"code":"0000","encPartnerKey":"q83v"}',
    message: /at "encPartnerKey"/,
    hint: /^Call it .*, and put it inside "result"\.$/,
  },
  {
    code: 'field-misplaced',
    body: '{"data":{"code":"0000"}}',
    message: /field code; .* "data\.code"/,
    hint: /^Put it at the top of the response\.$/,
  },

  {
    code: 'field-type',
    body: '{"code":"0000","result":"{\\"enc_partner_key\\":\\"q83v\\"}"}',
    message: 'Expected result as an object; it is a string with JSON inside.',
    hint: /serialise once/,
  },
  {
    code: 'field-type',
    body: '{"code":"0000","result":[]}',
    message: 'Expected result as an object; it is an array.',
    hint: /"result": \{/,
  },
  {
    code: 'field-type',
    body: result('"enc_partner_key":null'),
    message: 'Expected result.enc_partner_key as a string; it is null.',
    hint: /gets lost/,
  },
  {
    code: 'field-type',
    body: result('"enc_partner_key":{"type":"Buffer","data":[1]}'),
    message: /it is an object/,
    hint: /toString\("base64"\)/,
  },
  {
    code: 'field-type',
    body: result('"acs_token":7'),
    read: readTokenResponse,
    message: /result\.acs_token as a string; it is a number/,
    hint: /quotation marks/,
  },

  {
    code: 'field-malformed',
    body: token('2026-07-01T12:00'),
    read: readTokenResponse,
    message: 'Expected result.expire_dt to be 14 digits, yyyyMMddHH24miss; it is 16 characters.',
    hint: /ofPattern\("yyyyMMddHHmmss"\)/,
  },
  {
    code: 'field-malformed',
    body: token('20260701240000'),
    read: readTokenResponse,
    message: /14 digits that are not a date/,
    hint: /from 00 to 23/,
  },
  {
    code: 'field-malformed',
    body: result('"ptn_sp":"my passcode!"'),
    read: readAuthenticateResponse,
    message: /is 12 characters with characters that neither has/,
    hint: /never the passcode itself/,
  },
  {
    code: 'field-malformed',
    body: token('20260701120000').replace('"u"', '""'),
    read: readTokenResponse,
    message: /ptn_cd .* an empty string/,
    hint: /must not be empty/,
  },
];

describe('diagnoseResponse', () => {
  for (const { code, body, message, hint, facts, read } of cases) {
    const shown =
      typeof body === 'string' ? body.slice(0, 60) : Buffer.from(body).toString('hex').slice(0, 20);
    it(`says ${code} of ${JSON.stringify(shown)} under status ${facts?.status ?? 200}`, () => {
      const found = diagnose(body, facts, read);
      assert.ok(found);
      assert.equal(found.code, code);
      if (typeof message === 'string') assert.equal(found.message, message);
      else assert.match(found.message, message);
      assert.match(found.hint, hint);
    });
  }

  const neighbours: readonly (readonly [body: string, read: Read])[] = [
    [right, readKeyExchangeResponse],
    [`\ufeff ${right}\n`, readKeyExchangeResponse],
    [right.replace('"q83v"', '"<html>"'), readKeyExchangeResponse],
    [right.replace('""', '"not {json}, code=1"'), readKeyExchangeResponse],
    [result('"enc_partner_key":"q83v","enc_key":null,"key":7'), readKeyExchangeResponse],
    [token('20240229235959'), readTokenResponse],
    [result('"ptn_sp":"0a1B"'), readAuthenticateResponse],
  ];
  for (const [body, read] of neighbours) {
    it(`blames nothing in ${JSON.stringify(body)}`, () => {
      assert.equal(diagnose(body, undefined, read), undefined);
    });
  }

  it('has words for what only verify minds', () => {
    const facts = { status: 200 };
    const mark = diagnoseResponse({ kind: 'byte-order-mark' }, facts);
    assert.match(mark.message, /EF BB BF/);
    const none = diagnoseResponse({ kind: 'message-missing' }, facts);
    assert.equal(none.message, 'Expected a message in the response; it has none.');
    const other = diagnoseResponse({ kind: 'message-missing', foundAt: 'msg' }, facts);
    assert.equal(other.message, 'Expected a message in the response; there is "msg" instead.');
  });

  it('stays short, whatever the response contains', () => {
    const long = 'x y '.repeat(1e6);
    const bodies = [
      long,
      JSON.stringify(long),
      JSON.stringify({ code: long, message: long }),
      JSON.stringify({ [long]: 1 }),
      JSON.stringify({ code: '0000', result: { [long]: { enc_partner_key: 'k' } } }),
      `<html><title>${long}`,
    ];
    for (const body of bodies) {
      const found = diagnose(body, { status: 200, contentType: long });
      assert.ok(found && found.message.length < 700, found?.message);
    }
  });

  it('never throws, and lets no control character through', () => {
    const odd = fc.string({ unit: anyCharacter });
    const json = fc.oneof(
      odd,
      fc.json(),
      fc
        .record({
          code: fc.oneof(odd, fc.jsonValue()),
          message: odd,
          result: fc.dictionary(odd, odd),
        })
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(json, odd, (body, contentType) => {
        for (const read of [readKeyExchangeResponse, readTokenResponse, readAuthenticateResponse]) {
          const found = diagnose(body, { status: 200, contentType }, read);
          const text = `${found?.message}${found?.hint}`;
          assert.doesNotMatch(text, /[\p{Cc}\p{Bidi_Control}\p{Cs}]/u);
        }
      }),
    );
  });
});

describe('diagnoseContentType', () => {
  const types: readonly (readonly [string | undefined, DiagnosisCode, RegExp])[] = [
    ['text/html;charset=utf-8', 'html-instead-of-json', /has "text\/html;charset=utf-8"/],
    ['application/xhtml+xml', 'html-instead-of-json', /xhtml/],
    ['text/plain', 'not-json', /has "text\/plain"/],
    [undefined, 'not-json', /has none/],
  ];
  for (const [type, code, message] of types) {
    it(`says ${code} of ${type}`, () => {
      const found = diagnoseContentType(type);
      assert.equal(found.code, code);
      assert.match(found.message, message);
    });
  }
});

function diagnose(
  body: string | Uint8Array,
  facts: ResponseFacts = { status: 200 },
  read: Read = readKeyExchangeResponse,
): Diagnosis | undefined {
  const { problem } = read(typeof body === 'string' ? encodeUtf8(body) : body);
  return problem && diagnoseResponse(problem, facts);
}
