import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import { operations } from '../../src/protocol/operations.ts';
import { isNearName, statusNote } from '../../src/protocol/response.ts';
import { fc } from '../support/fast-check.ts';
import { fixtureRows } from '../support/fixtures.ts';

const key = '"enc_partner_key":"k"';

describe('readKeyExchangeResponse', () => {
  it('names the first fault', () => {
    type Row = readonly [body: string, problem: string];
    for (const [body, expected] of fixtureRows<Row>('readings/responses-wrong.jsonl')) {
      const { problem, result } = operations['key-exchange'].readResponse(encodeUtf8(body));
      const { place, ...rest } = { place: {}, ...problem };
      const facts = [...Object.values(rest), ...Object.values(place)];
      assert.deepEqual([facts.join(' '), result], [expected, undefined]);
    }
  });

  it('takes what is odd but harmless, with a note', () => {
    type Row = readonly [body: string, notes: number];
    for (const [body, count] of fixtureRows<Row>('readings/responses-odd.jsonl')) {
      const { problem, code, result, notes } = operations['key-exchange'].readResponse(
        encodeUtf8(body),
      );
      const expected = [undefined, '0000', { encPartnerKey: 'k' }, count];
      assert.deepEqual([problem, code, result, notes.length], expected, body);
    }
  });

  it('takes none with a field of the interface twice', () => {
    type Row = readonly [field: string, body: string];
    for (const [field, body] of fixtureRows<Row>('readings/responses-ambiguous.jsonl')) {
      const { problem, result, notes } = operations['key-exchange'].readResponse(encodeUtf8(body));
      const expected = { kind: 'not-json', reason: 'duplicate-name', detail: field, near: '' };
      assert.deepEqual([problem, result, notes], [expected, undefined, []]);
    }
  });

  it('reports what is wrong with message apart from the rest', () => {
    const of = (fields: object) =>
      operations['key-exchange'].readResponse(encodeUtf8(JSON.stringify(fields))).messageProblem;
    assert.deepEqual(of({ code: '0000' }), { kind: 'message-missing' });
    assert.deepEqual(of({ code: '1', msg: 'no' }), { kind: 'message-missing', foundAt: 'msg' });
    assert.equal(of({ code: '1', message: 7 })?.kind, 'field-type');
    assert.equal(of({ code: '1', message: '' }), undefined);
  });

  // Section 4.2.2 rule 2: the result of a refusal is not used, not even shown.
  it('shows leniently what it judges strictly', () => {
    for (const [body, ...expected] of [
      ['{"code":0,"message":5,"encPartnerKey":"k"}', '0', '5', { encPartnerKey: 'k' }],
      ['{"code":0000}', '0000', undefined, {}],
      [`{"code":"1","message":"","result":{${key}}}`, '1', '', {}],
    ] as const) {
      const { code, message, seen } = operations['key-exchange'].readResponse(encodeUtf8(body));
      assert.deepEqual([code, message, seen], expected);
    }
  });

  it('returns unknown fields, and none of them does harm', () => {
    const inside = `{${key},"x":[3],"__proto__":4}`;
    const polluting = '"__proto__":{"polluted":1},"constructor":2';
    const body = `{"code":"0000","message":"",${polluting},"result":${inside}}`;
    const { unknownFields, result } = operations['key-exchange'].readResponse(encodeUtf8(body));
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
      const { problem } = operations['key-exchange'].readResponse(encodeUtf8(body));
      assert.doesNotMatch(JSON.stringify(problem), /q7TzWb/, body);
    }
  });

  it('survives deep, long and random bodies', () => {
    const long = { code: '0000', message: 'x'.repeat(1e7), result: 'y'.repeat(1e6) };
    const deep = ['{"result":'.repeat(100_000), '['.repeat(1e6), `<html>${'<'.repeat(1e6)}`];
    for (const body of [JSON.stringify(long), ...deep]) {
      assert.ok(operations['key-exchange'].readResponse(encodeUtf8(body)).problem);
    }
  });

  it('sets a result exactly when there is no problem, and never throws', () => {
    const value = fc.oneof(fc.constant('0000'), fc.string(), fc.jsonValue({ maxDepth: 2 }));
    const result = fc.oneof(value, fc.record({ enc_partner_key: value }));
    const responses = fc.record({ code: value, message: value, result }, { requiredKeys: [] });
    const read = (body: Uint8Array) => {
      const reading = operations['key-exchange'].readResponse(body);
      assert.equal(reading.result === undefined, reading.problem !== undefined);
      return reading.result;
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 48 }), (body) => void read(body)));
    fc.assert(
      fc.property(responses, (response) => {
        const right = read(encodeUtf8(JSON.stringify(response)));
        if (right === undefined) return;
        const { code, result } = response;
        const expected = JSON.stringify({ enc_partner_key: right.encPartnerKey });
        assert.deepEqual([code, JSON.stringify(result)], ['0000', expected]);
      }),
    );
  });
});

describe('readRegistrationResponse', () => {
  it('needs no result and ignores any', () => {
    for (const result of [undefined, null, {}, 'x']) {
      const body = JSON.stringify({ code: '0000', message: '', result });
      const reading = operations.registration.readResponse(encodeUtf8(body));
      assert.deepEqual([reading.result, reading.problem, reading.notes], [{}, undefined, []]);
    }
  });
});

it('notes an HTTP status that contradicts success', () => {
  const noted = [200, 299, 199, 300, 500].filter((at) => statusNote({ code: '0000' }, at));
  assert.deepEqual(noted, [199, 300, 500]);
  assert.equal(statusNote({ code: '9999' }, 500), undefined);
});

it('takes a name for a slip of another', () => {
  type Row = readonly [found: string, wanted: string, isNear: boolean];
  for (const [found, wanted, expected] of fixtureRows<Row>('readings/near-names.jsonl')) {
    assert.equal(isNearName(found, wanted, ['resultCode']), expected, found);
  }
});
