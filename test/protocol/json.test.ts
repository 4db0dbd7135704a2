import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import { maxJsonDepth, placeOf, readJson, scanJson } from '../../src/protocol/json.ts';
import { fc } from '../support/fast-check.ts';
import { fixtureRows } from '../support/fixtures.ts';

describe('scanJson', () => {
  const members = ' \t\r\n{ "a" : [ 1 , -2.5e+10 , true , false , null , "x" ] } \n';
  const right = ['[]', members, '"\\u00e9\\n\\\\\\"\\/"', '-0.0E-0', '{"":""}', '"\u2028\u007f"'];
  type Wrong = readonly [text: string, reason: string, offset: number];
  it('finds nothing wrong in JSON, and elsewhere what and where', () => {
    for (const text of right) assert.equal(scanJson(text).fault, undefined, text);
    for (const [text, reason, offset] of fixtureRows<Wrong>('readings/json-faults.jsonl')) {
      assert.deepEqual(scanJson(text).fault, { reason, offset }, text);
    }
  });

  it('agrees with JSON.parse on texts near JSON', () => {
    const tokens = ['"a"', 'true', 'null', '"a":1', '\u0001'];
    const pieces = fc.constantFrom(...'{}[],:"0123.eE+-\\u tfn\'', ...tokens);
    const made = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''));
    const changed = fc
      .tuple(fc.json(), fc.nat(), fc.string({ maxLength: 1 }))
      .map(([json, at, put]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + put + json.slice(place + 1);
      });
    fc.assert(
      fc.property(fc.oneof(made, changed), (text) => {
        assert.equal(scanJson(text).fault === undefined, parses(text), text);
      }),
      { numRuns: 4000 },
    );
  });

  it('names what is there twice at the top or one level below, with its path', () => {
    for (const [text, ...names] of [
      ['{"a":1,"a":2,"a":3}', 'a'],
      ['{"r":{"\\u0062":1,"b":2}}', 'r.b'],
      ['{"r":[{"b":1},{"b":2}],"b":3}'],
      ['{"r":{"s":{"t":1,"t":2},"u":1,"u":2}}', 'r.u'],
    ] as const) {
      assert.deepEqual([...scanJson(text).duplicateNames], names);
    }
  });

  it('stops at a nesting that other readers refuse too', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    assert.equal(scanJson(nested(maxJsonDepth)).fault, undefined);
    assert.equal(scanJson(nested(maxJsonDepth + 1)).fault?.reason, 'too-deep');
    assert.equal(scanJson('{"a":'.repeat(100_000)).fault?.reason, 'too-deep');
  });
});

describe('readJson', () => {
  it('reads UTF-8, and reports a byte order mark and repeated names', () => {
    assert.deepEqual(readJson(encodeUtf8('\ufeff{"이름":"김","이름":"이"}')), {
      ok: true,
      value: { 이름: '이' },
      byteOrderMark: true,
      duplicateNames: new Set(['이름']),
    });
  });

  const json = '{"code":"0000"}';
  const utf16 = Buffer.from(json, 'utf16le');
  const marked = Buffer.concat([Buffer.of(0xff, 0xfe), utf16]);
  const encodings = [
    [utf16, 'utf-16', 'UTF-16LE'],
    [Buffer.from(utf16).swap16(), 'utf-16', 'UTF-16BE'],
    [marked, 'utf-16', 'UTF-16LE with a byte order mark'],
    [Buffer.from('1f8b0800000000', 'hex'), 'compressed', 'gzip'],
    [Buffer.from('{"d":"é"}', 'latin1'), 'invalid-utf-8', 'byte 0xe9 at offset 6'],
    [Buffer.from('22ea', 'hex'), 'invalid-utf-8', 'byte 0xea at offset 1'],
  ] as const;
  it('recognises what is not UTF-8, and what is empty', () => {
    for (const [body, ...expected] of encodings) {
      const reading = readJson(body);
      assert.ok(!reading.ok && 'detail' in reading);
      assert.deepEqual([reading.reason, reading.detail], expected);
    }
    for (const text of ['', ' \r\n\t', '\ufeff', '\0\0\0']) {
      const bytes = Buffer.byteLength(text);
      assert.deepEqual(readJson(encodeUtf8(text)), { ok: false, reason: 'empty', bytes });
    }
  });
});

it('counts lines and columns from one', () => {
  const text = '{\n "a": 1,\r\n "b": ?}';
  assert.deepEqual(placeOf(text, 2), { offset: 2, line: 2, column: 1 });
  const offset = text.indexOf('?');
  assert.deepEqual(placeOf(text, offset), { offset, line: 3, column: 7 });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
