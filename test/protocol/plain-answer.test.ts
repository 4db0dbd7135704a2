import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readAnswer } from '../../src/protocol/answer.ts';
import { readKeyExchangeAnswer } from '../../src/protocol/key-exchange.ts';
import { readPlainSuccess } from '../../src/protocol/plain-answer.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

/** Bodies that the short way has to leave to the long one, right or wrong. */
const left: Readonly<Record<string, string | Buffer>> = {
  'no JSON': '<html>',
  empty: '',
  'an array': '["0000"]',
  'another code': '{"code":"0001","message":""}',
  'a code that is a number': '{"code":0,"message":""}',
  'no message': '{"code":"0000"}',
  'a message that is null': '{"code":"0000","message":null}',
  'a result that is null': '{"code":"0000","message":"","result":null,"x":[]}',
  'a result that is text': '{"code":"0000","message":"","result":"x"}',
  'something nested in the result': '{"code":"0000","message":"","result":{"a":{}}}',
  'something nested beside it': '{"code":"0000","message":"","a":[]}',
  'a byte order mark': '\ufeff{"code":"0000","message":""}',
  'bytes that are no UTF-8': Buffer.from([
    ...bytes('{"code":"0000","message":"'),
    0xff,
    0x22,
    0x7d,
  ]),
  'a replacement character': '{"code":"0000","message":"\ufffd"}',
  'too many bytes': `{"code":"0000","message":"${'x'.repeat(20_000)}"}`,
  'a code that is inherited': '{"__proto__":{"code":"0000"},"message":""}',
};

describe('the short way to read an answer', () => {
  for (const [name, body] of Object.entries(left)) {
    it(`leaves ${name} to the long one`, () => {
      assert.equal(readPlainSuccess(Buffer.from(body)), undefined);
    });
  }

  it('gives the result of an answer without anything odd', () => {
    const body = bytes(
      '{"code":"0000","message":"","result":{"enc_partner_key":"abc","x":1},"at":2}',
    );
    assert.deepEqual(readPlainSuccess(body)?.result, { enc_partner_key: 'abc', x: 1 });
    assert.deepEqual(readPlainSuccess(bytes('{"code":"0000","message":"ok"}'))?.result, {});
  });

  it('takes nothing that the long one refuses', () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const object = fc.dictionary(fc.string(), fc.oneof(scalar, fc.array(scalar)));
    const answer = fc.record(
      {
        code: fc.oneof(fc.constant('0000'), scalar),
        message: scalar,
        result: fc.oneof(object, scalar, fc.record({ enc_partner_key: fc.string() })),
        more: fc.oneof(scalar, object),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(answer, (value) => {
        const body = bytes(JSON.stringify(value));
        const plain = readPlainSuccess(body);
        if (plain === undefined) return;
        assert.notEqual(readAnswer(body, undefined).result, undefined);
        const key = plain.result.enc_partner_key;
        if (typeof key === 'string') {
          assert.equal(readKeyExchangeAnswer(body).result?.encPartnerKey, key);
        }
      }),
    );
  });
});
